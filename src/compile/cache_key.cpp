// Puts the fields of the key together.
#include "compile/cache_key.h"

#include <fmt/format.h>

#include "compile/sources/source_includes.h"
#include "compile/toolkit.h"
#include "core/digest.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

// Directories that further options add; nothing where an option includes files that its text does not name.
std::optional<std::vector<std::string>> searched_directories(const CompileRequest& request) {
  std::vector<std::string> directories = request.include_directories;
  for (const std::string& option : request.options) {
    if (option == "-I" || option == "--include-path" || option.find("-include=") != std::string::npos ||
        option.ends_with("-include"))
      return std::nullopt;
    for (const std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) directories.push_back(option.substr(prefix.size()));
  }
  return directories;
}

void add_list(Digester& key, std::span<const std::string> fields) {
  key.add_field(std::to_string(fields.size()));
  for (const std::string& field : fields) key.add_field(field);
}

}  // namespace

std::optional<std::string> cache_key(const CompileRequest& request, const std::string& compiler,
                                     std::span<const fs::path> tools,
                                     const std::vector<std::string>& options) {
  const auto directories = searched_directories(request);
  const auto includes =
      directories ? user_includes(request.source, fs::path(request.file_name).parent_path(), *directories)
                  : std::nullopt;
  if (!includes) return std::nullopt;
  Digester key;
  for (const std::string& field : {request.source, request.file_name, compiler}) key.add_field(field);
  add_list(key, options);
  add_list(key, request.name_expressions);
  for (const HeaderText& header : request.headers)
    for (const std::string& field : {header.name, header.text}) key.add_field(field);
  for (const fs::path& tool : tools) key.add_field(file_stamp(tool));
  std::error_code ignored;
  // The line table names included files by their absolute paths.
  key.add_field(includes->empty() ? std::string() : fs::current_path(ignored).string());
  for (const auto& [path, content] : *includes) {
    key.add_field(path.string());
    key.add_field(content);
  }
  return key.hex();
}

}  // namespace cudalab::compile

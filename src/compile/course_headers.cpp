// Finds cudalab's own headers for programs from textbooks.
#include "compile/course_headers.h"

#include <algorithm>

#include "compile/sources/host_code.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/this_process.h"
#include "messages/compile.h"

namespace cudalab::compile {

namespace fs = std::filesystem;

fs::path own_headers(const char* name) {
  const fs::path program = this_program(), own = fs::path("include") / "cudalab" / name;
  const fs::path installed = program.parent_path().parent_path() / "share" / "cudalab" / own;
  for (const fs::path& folder : {installed, fs::path(CUDALAB_BUILT_FROM) / own})
    if (is_folder(folder)) return folder;
  return {};
}

fs::path course_headers() { return own_headers("course"); }

std::vector<fs::path> course_header_folders() {
  const fs::path ours = course_headers();
  return ours.empty() ? std::vector<fs::path>() : std::vector{ours, ours / "common"};
}

fs::path texture_references_header() {
  const fs::path folder = own_headers("compat");
  if (folder.empty()) throw unavailable_error(msg::compat_headers_missing());
  return folder / "texture_references.h";
}

std::vector<std::string> provided_headers(const CompileRequest& request) {
  const fs::path ours = course_headers();
  if (ours.empty()) return {};
  std::vector<fs::path> folders{absolute_path(request.file_name).parent_path()};
  for (const std::string& folder : request.include_directories) folders.emplace_back(folder);
  for (const std::string& option : request.options)
    if (option.starts_with("-I") && option.size() > 2) folders.emplace_back(option.substr(2));
  std::vector<std::string> provided;
  const std::vector<fs::path> own = course_header_folders();
  for (const IncludedHeader& header : included_headers(request.source)) {
    const auto has_it = [&](const fs::path& folder) { return is_there(folder / header.name); };
    // `../common/book.h` is in the folder beside the second one of ours; no other path may lead out of them.
    const std::string_view below = header.name.starts_with("../") ? header.name.substr(3) : header.name;
    const bool is_known = below.find("..") == std::string_view::npos && is_there(ours / below) &&
                          std::ranges::any_of(own, has_it);
    if (is_known && std::ranges::none_of(folders, has_it)) provided.emplace_back(header.name);
  }
  return provided;
}

}  // namespace cudalab::compile

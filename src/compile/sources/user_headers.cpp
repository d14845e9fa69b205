// Two passes: the names that all files share, then each file.
#include "compile/sources/user_headers.h"

#include <map>
#include <utility>

#include "core/files.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostUserFiles = 2000;

class UserFiles {
 public:
  UserFiles(const std::string& source, const fs::path& folder, const HeaderDirectories& directories)
      : source_(source), folder_(folder), directories_(directories) {
    follow(source_, folder_);
    add_names(source_, names_);
    for (const auto& [path, text] : files_) add_names(text, names_);
  }

  DeviceCode stripped() const {
    DeviceCode code = strip(source_, folder_);
    for (const auto& [path, text] : files_) {
      DeviceCode header = strip(text, fs::path(path).parent_path());
      code.headers.push_back(
          {path, std::move(header.text), std::move(header.left_out), std::move(header.kept)});
    }
    add_stand_ins(code);
    return code;
  }

 private:
  void follow(const std::string& text, const fs::path& folder) {
    for (const IncludedHeader& header : included_headers(text)) {
      const auto file = users_file(header, folder);
      if (!file || files_.count(*file) || files_.size() == kMostUserFiles) continue;
      const std::string& content = files_[*file] = read_file(*file).value_or("");
      follow(content, fs::path(*file).parent_path());
    }
  }

  std::optional<std::string> users_file(const IncludedHeader& header, const fs::path& folder) const {
    if (header.in_quotes)
      if (auto file = file_in(folder, header)) return file;
    for (const fs::path& directory : directories_.users)
      if (auto file = file_in(directory, header)) return file;
    return std::nullopt;
  }

  static std::optional<std::string> file_in(const fs::path& directory, const IncludedHeader& header) {
    std::error_code ignored;
    const fs::path file = fs::absolute(directory / header.name, ignored).lexically_normal();
    return fs::is_regular_file(file, ignored) ? std::optional(file.string()) : std::nullopt;
  }

  DeviceCode strip(const std::string& text, const fs::path& folder) const {
    return device_code_of(text, names_, [&](const IncludedHeader& header) -> std::optional<std::string> {
      const auto file = users_file(header, folder);
      if (file) return files_.count(*file) ? *file : "";
      return is_toolkits(header) ? std::optional<std::string>("") : std::nullopt;
    });
  }

  // Where no toolkit is installed, the compiler says so.
  bool is_toolkits(const IncludedHeader& header) const {
    if (directories_.toolkit.empty()) return !header.in_quotes;
    for (const fs::path& directory : directories_.toolkit)
      if (is_there(directory / header.name)) return true;
    return false;
  }

  const std::string& source_;
  const fs::path folder_;
  const HeaderDirectories& directories_;
  std::map<std::string, std::string> files_;  // absolute path -> text
  SharedNames names_;                         // point into the texts
};

}  // namespace

DeviceCode device_code_with_headers(const std::string& source, const std::string& file_name,
                                    const HeaderDirectories& directories) {
  return UserFiles(source, fs::path(file_name).parent_path(), directories).stripped();
}

}  // namespace cudalab::compile

// A file that is replaced atomically, and whose path is checked before the work starts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudalab::cli {

class OutputFile {
 public:
  // Throws Error(kUsage) if the path cannot be written; leaves nothing behind.
  explicit OutputFile(std::string path);
  // Writes a new file and renames it to the path when it is complete. Devices and pipes are written directly.
  void write(std::string_view text) const;

 private:
  std::string path_;    // as given by the user
  std::string target_;  // with links resolved
  bool in_place_ = false;
};

// Makes a folder and its parents. Throws Error(kUsage) with advice on what to do: "choose another".
void make_folder(const std::filesystem::path& folder, std::string_view next_step = "choose another");

}  // namespace cudalab::cli

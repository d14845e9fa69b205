// A file that is written whole or not at all, and whose path is known to be good before the work starts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudalab::cli {

class OutputFile {
 public:
  // Throws Error(kUsage) when the path cannot be written to; leaves nothing behind.
  explicit OutputFile(std::string path);
  // Writes to a new file in the path's folder, which gets its name when it is whole. Devices and pipes are
  // written to directly.
  void write(std::string_view text) const;

 private:
  std::string path_;    // as the user gave it
  std::string target_;  // with links resolved
  bool in_place_ = false;
};

// Makes a folder and those above it. Throws Error(kUsage) with what to do about it: "choose another".
void make_folder(const std::filesystem::path& folder, std::string_view next_step = "choose another");

}  // namespace cudalab::cli

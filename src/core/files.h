// Questions to the file system that never throw: what cannot be looked at is not there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cudalab {

bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

// All bytes of a file; nothing where it cannot be opened.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace cudalab

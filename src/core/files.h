// Files as a user names them: questions that never throw, and the one way to read them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cudalab {

bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

inline constexpr std::size_t kLargestText = 64u << 20;  // bytes of a source, a document, a list of answers

// What stands in a file, or in words why it cannot be had: "does not exist", "is a folder".
struct FileContent {
  std::string bytes;
  std::string problem;  // empty: the bytes are all of it
};

// Of a regular file (or a link to one) of at most so many bytes. What is no such file is not waited for: a
// pipe would never end, a device has no end.
FileContent read_content(const std::filesystem::path& path, std::size_t most_bytes = kLargestText);

// The same without the reason.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t most_bytes = kLargestText);

// The same with the reason as Error(kUsage): "cannot read FILE: it does not exist; is the path right?"
std::string read_bytes(const std::filesystem::path& path, std::size_t most_bytes = kLargestText);

// And as text, in UTF-8 with lines that end in '\n', as whatever it was saved: with a byte-order mark, as
// UTF-16, with the line ends of Windows.
std::string read_text(const std::filesystem::path& path);
std::string as_text(std::string bytes);

}  // namespace cudalab

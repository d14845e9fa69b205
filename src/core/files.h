// Files that the user names: queries that never throw, functions that read files and folders, and owned
// descriptors.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/message.h"

namespace cudalab {

// An open file descriptor that is closed at the end of its scope.

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}  // negative: no open file
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }               // passes ownership to the caller
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }  // whether all data was written

 private:
  int number_;
};

// Opens a folder but follows no symbolic link. Negative if there is no such folder.
inline int open_folder(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Files that the user names: queries that never throw, and the only functions that read files and folders.

bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_link(const std::filesystem::path& path);        // also if its target does not exist
bool nothing_is_at(const std::filesystem::path& path);  // also false for a link without a target

// The absolute path; the path itself if the working folder no longer exists.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// The entries of a folder in the order of their names, or the reason why they cannot be read: "is not a
// folder".
struct FolderContent {
  std::vector<std::filesystem::path> entries;
  Message problem;  // empty: the entries are complete
};

FolderContent read_folder(const std::filesystem::path& folder);

// Throws the reason as Error(kUsage): "cannot read the folder LABS: it is not a folder; is the path right?"
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

inline constexpr std::size_t kLargestText = 64u << 20;  // limit in bytes for sources, documents and answers

// The content of a file, or the reason why it cannot be read: "does not exist", "is a folder".
struct FileContent {
  std::string bytes;
  Message problem;  // empty: the bytes are complete
};

// Reads a regular file (or a link to one) of at most `most_bytes` bytes. Other kinds of files are rejected,
// because reading a pipe or a device might never end.
FileContent read_content(const std::filesystem::path& path, std::size_t most_bytes = kLargestText);

// Reads an open file to its end. A file of more than `most_bytes` bytes is the problem file_beyond_most.
FileContent read_to_the_end(int descriptor, std::size_t most_bytes);

// Writes to an open file. Returns false, with errno, if not all was written.
bool write_all(int descriptor, std::string_view text);

// Empty if the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t most_bytes = kLargestText);

// Throws the reason as Error(kUsage): "cannot read FILE: it does not exist; is the path right?"
std::string read_bytes(const std::filesystem::path& path, std::size_t most_bytes = kLargestText);

// Reads text as UTF-8 with lines that end in '\n'. Converts UTF-16 and Windows line ends, and removes a
// byte-order mark.
std::string read_text(const std::filesystem::path& path);
std::string as_text(std::string bytes);

}  // namespace cudalab

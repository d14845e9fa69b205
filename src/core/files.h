// Files as a user names them: queries that never throw, reading of files and folders, and owned descriptors.
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

// An open file of the operating system's, closed at the end of its scope.

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}  // below 0: nothing is open
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }               // for another owner
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }  // whether all was written

 private:
  int number_;
};

// A folder that is no link to one; below 0 where there is none.
inline int open_folder(const std::filesystem::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Files as a user names them: questions that never throw, and the one way to read files and folders.

bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_link(const std::filesystem::path& path);        // wherever it leads
bool nothing_is_at(const std::filesystem::path& path);  // not even a link that leads nowhere

// Seen from the root; as it is where the working folder is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// What a folder holds in the order of the names, or in words why that cannot be seen: "is no folder".
struct FolderContent {
  std::vector<std::filesystem::path> entries;
  Message problem;  // empty: these are all of them
};

FolderContent read_folder(const std::filesystem::path& folder);

// The same with the reason as Error(kUsage): "cannot read the folder LABS: it is no folder; is the path
// right?"
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

inline constexpr std::size_t kLargestText = 64u << 20;  // bytes of a source, a document, a list of answers

// What stands in a file, or in words why it cannot be had: "does not exist", "is a folder".
struct FileContent {
  std::string bytes;
  Message problem;  // empty: the bytes are all of it
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

// An open file of the operating system's, closed at the end of its scope.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace cudalab {

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

}  // namespace cudalab

// Notices that a file was saved: at once through inotify, and by looking twice a second where no events come
// (network folders, Windows folders in WSL).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace cudalab::cli {

class FileWatcher {
 public:
  // With `polls_only` without inotify.
  explicit FileWatcher(const std::filesystem::path& file, bool polls_only = false);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  // Whether the file is another than when it was last looked at, and whole: an editor may write it in several
  // steps, or put a new one in its place. A file that is gone is waited for.
  bool changed();
  // To wait on beside others; -1 where there is no inotify.
  int descriptor() const { return inotify_; }

 private:
  struct State {
    bool exists = false;
    std::int64_t seconds = 0, nanoseconds = 0;
    off_t bytes = 0;
    ino_t number = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  State look() const;
  void forget_events() const;

  std::string file_;
  int inotify_ = -1;
  State last_;
};

}  // namespace cudalab::cli

// Detects that a file was saved: immediately through inotify, and by polling twice a second where inotify
// reports no events (network folders, Windows folders in WSL).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace cudalab::cli {

class FileWatcher {
 public:
  // `polls_only` disables inotify.
  explicit FileWatcher(const std::filesystem::path& file, bool polls_only = false);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  // True if the file has changed since the last call and is complete: an editor may write it in several steps
  // or replace it. A deleted file counts as unchanged until it exists again.
  bool changed();
  // A descriptor to poll() together with others; -1 without inotify.
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

// Watches a file: inotify events of its folder wake the program, because editors replace files, and the
// file's state decides whether it changed.
#include "cli/terminal/file_watcher.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace cudalab::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{30};  // between two looks at a changing file

}  // namespace

FileWatcher::FileWatcher(const std::filesystem::path& file, bool polls_only) : file_(file.string()) {
  if (!polls_only) inotify_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  if (inotify_ >= 0) inotify_add_watch(inotify_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE);
  last_ = look();
}

FileWatcher::~FileWatcher() {
  if (inotify_ >= 0) close(inotify_);
}

bool FileWatcher::changed() {
  forget_events();
  State now = look();
  if (now == last_ || !now.exists) return false;
  for (State later = now;; now = later) {
    std::this_thread::sleep_for(kBetweenLooks);
    later = look();
    if (later == now) break;
  }
  last_ = now;
  return now.exists;
}

FileWatcher::State FileWatcher::look() const {
  struct stat found {};
  if (stat(file_.c_str(), &found) != 0) return {};
  return {true, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size, found.st_ino};
}

void FileWatcher::forget_events() const {
  std::array<char, 4096> events;
  while (inotify_ >= 0 && read(inotify_, events.data(), events.size()) > 0) continue;
}

}  // namespace cudalab::cli

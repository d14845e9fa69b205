// Cleans up after signals: files, temporary folders and child processes that must not outlive this process.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "core/files.h"

namespace cudalab {

// What must not stay behind when a signal ends this process: files, folders with all they hold, and processes
// that it started.

// While an object lives, an interruption removes this file, or this folder with what is in it. A few dozen
// may live at once; what is one too many stays.
class RemoveOnInterrupt {
 public:
  explicit RemoveOnInterrupt(const std::string& path);
  ~RemoveOnInterrupt();
  RemoveOnInterrupt(const RemoveOnInterrupt&) = delete;
  RemoveOnInterrupt& operator=(const RemoveOnInterrupt&) = delete;

 private:
  std::size_t place_;  // among those that live
};

// While an object lives, an interruption ends this child of ours as end_child() of
// core/processes/child_process.h does.
class EndOnInterrupt {
 public:
  explicit EndOnInterrupt(pid_t child, bool has_guard = false);
  ~EndOnInterrupt();
  EndOnInterrupt(const EndOnInterrupt&) = delete;
  EndOnInterrupt& operator=(const EndOnInterrupt&) = delete;

 private:
  std::size_t place_;
};

// While an object lives, no interruption comes: between making something and noting it down. Brief: another
// thread that is interrupted waits for it.
class NoInterrupt {
 public:
  NoInterrupt();
  ~NoInterrupt();
  NoInterrupt(const NoInterrupt&) = delete;
  NoInterrupt& operator=(const NoInterrupt&) = delete;

 private:
  sigset_t before_{};
};

// From now on; no other signal comes while the handler runs.
void handle_signal(int number, void (*handler)(int));

// Ends and removes all that is noted down. May be called by a signal handler.
void leave_nothing_behind();

// A file, or a folder with all it holds; no link is followed. May be called by a signal handler.
void remove_whole(const char* path);

// A new folder that goes with the object, also when a signal ends the program; and after a program that was
// killed, with the next one that makes such a folder.

// In the folder for temporary files ($TMPDIR, else /tmp), readable for its owner alone. Throws
// Error(kUnavailable) where none can be made.
//
// Its name says which process made it, and that process holds a lock on it, which the system takes back
// however the process ends: what such a name has, is this user's, and is held by nobody was left behind.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name_begins = "cudalab-");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  bool make_in(const std::filesystem::path& parent, const std::string& name_begins);

  std::filesystem::path path_;
  std::optional<Descriptor> lock_;
  std::optional<RemoveOnInterrupt> on_interrupt_;
};

}  // namespace cudalab

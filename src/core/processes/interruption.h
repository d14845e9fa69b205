// What must not stay behind when a signal ends this process: files, folders with all they hold, and processes
// that it started.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <string>

namespace cudalab {

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

}  // namespace cudalab

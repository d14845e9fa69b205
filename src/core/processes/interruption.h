// Cleans up after signals: files, temporary folders and child processes that must not outlive this process.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/files.h"

namespace cudalab {

// Registers files, folders and child processes that must not remain when a signal ends this process.

// While an object of this class lives, a signal removes this file, or this folder with its content. The table
// has a few dozen places; further objects have no effect.
class RemoveOnInterrupt {
 public:
  explicit RemoveOnInterrupt(const std::string& path);
  ~RemoveOnInterrupt();
  RemoveOnInterrupt(const RemoveOnInterrupt&) = delete;
  RemoveOnInterrupt& operator=(const RemoveOnInterrupt&) = delete;

 private:
  std::size_t place_;  // index in the table
};

// While an object of this class lives, a signal ends this child with end_child() of
// core/processes/child_process.h.
class EndOnInterrupt {
 public:
  explicit EndOnInterrupt(pid_t child, bool has_guard = false);
  ~EndOnInterrupt();
  EndOnInterrupt(const EndOnInterrupt&) = delete;
  EndOnInterrupt& operator=(const EndOnInterrupt&) = delete;

 private:
  std::size_t place_;
};

// Blocks signals while an object of this class lives, so a resource can be created and registered in one
// step. Keep this time short: another thread that receives a signal waits for it.
class NoInterrupt {
 public:
  NoInterrupt();
  ~NoInterrupt();
  NoInterrupt(const NoInterrupt&) = delete;
  NoInterrupt& operator=(const NoInterrupt&) = delete;

 private:
  sigset_t before_{};
};

// Installs a handler. Other signals are blocked while it runs.
void handle_signal(int number, void (*handler)(int));

// Sets the kernel and line that this process executes, such as "step, k.cu:5", for the messages of signal
// handlers; empty: none. Truncated to fit.
void note_whereabouts(std::string_view kernel_and_line);
// Async-signal-safe; "" if there is none.
const char* whereabouts();

// Ends and removes everything that is registered. Async-signal-safe.
void leave_nothing_behind();

// Removes a file, or a folder with its content. Follows no links. Async-signal-safe.
void remove_whole(const char* path);

// A temporary folder that is removed with its object, also when a signal ends the program. If the program is
// killed, the next program that creates a temporary folder removes it.

// Creates the folder in $TMPDIR or /tmp, readable only for its owner. Throws Error(kUnavailable) if that
// fails.
//
// The name contains the mark of the process that created the folder, and this process holds a lock on it. The
// system releases the lock when the process ends. A folder with such a name that belongs to this user and is
// not locked was left behind.
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

// Starts programs as child processes that end when this process does, however it ends, and that have limits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace cudalab {

// The error for an errno of a failed start.
Error no_process_error(int reason);

struct ChildLimits {
  double cpu_seconds = 10, wall_seconds = 60;
  std::uint64_t memory_bytes = 4ull << 30;  // address space
  std::uint64_t output_bytes = 4u << 20;    // standard output and standard error together
  std::uint64_t file_bytes = 64u << 20;     // per file that it writes
};

struct ChildPlan {
  std::vector<std::string> words;  // words[0] is the program's path
  std::filesystem::path folder;    // working folder; empty: that of this process
  std::vector<std::pair<std::string, std::string>> environment;  // in addition to this process's own
  int output = -1;     // descriptor for standard output and standard error; -1: discarded
  int errors = -1;     // descriptor for standard error; -1: as `output`
  int input = -1;      // descriptor for standard input; -1: empty input
  int inherited = -1;  // a further descriptor that the child inherits
  bool limits_cpu = true;
  // The child starts programs itself. A guard process between this process and the child ends them, too.
  bool has_guard = false;
};

// Starts a child in its own process group, which Ctrl-C does not reach. If the program cannot be started, the
// reason goes to `output`, and the child exits with 126 or 127. Throws Error(kUnavailable) if the system
// cannot create a process. The system regards the calling thread as the parent, so this thread must not end
// before the child.
pid_t start_child(const ChildPlan& plan, const ChildLimits& limits);

// Starts a program of the user in this process's group, with its streams, terminal, working folder and the
// signals that this process ignored at its start. words[0] is searched like in a shell. If it cannot be
// started, an error appears on standard error, and the exit code is 127. A guard process ends the program and
// all its descendants together with this process. Returns the guard's process id. The guard exits with the
// program's status; end_child() can end it.
pid_t start_alongside(const std::vector<std::string>& words,
                      const std::vector<std::pair<std::string, std::string>>& environment);

// Asks a program that was started by start_alongside() to end. The program may react in its own way or not at
// all.
void ask_to_end(pid_t guard_of_program);

// Ends the child and the processes that it started. The caller must still wait for the child.
void end_child(pid_t child, bool has_guard);

}  // namespace cudalab

// Starts a program as a child that ends when this process does, whichever way that ends, and is held to
// limits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace cudalab {

// Why none could be started: an errno.
Error no_process_error(int reason);

struct ChildLimits {
  double cpu_seconds = 10, wall_seconds = 60;
  std::uint64_t memory_bytes = 4ull << 30;  // of address space
  std::uint64_t output_bytes = 4u << 20;    // on standard output and standard error together
  std::uint64_t file_bytes = 64u << 20;     // of each file that it writes
};

struct ChildPlan {
  std::vector<std::string> words;                                // words[0] is the program's path
  std::filesystem::path folder;                                  // where it works; empty: here
  std::vector<std::pair<std::string, std::string>> environment;  // in addition to this process's own
  int output = -1;     // a descriptor for standard output and standard error; -1: nowhere
  int errors = -1;     // one for standard error; -1: the same
  int input = -1;      // one for standard input; -1: nothing comes
  int inherited = -1;  // a further descriptor that it gets
  bool limits_cpu = true;
  // It starts programs itself, which must not outlive it either: a guard between us and it sees to that.
  bool has_guard = false;
};

// With nothing on its standard input where the plan names none, in a group of its own, which no Ctrl-C
// reaches. The pipe tells what went wrong before the program began: it ends with 126 or 127 then. Throws
// Error(kUnavailable) where the machine has no process left. The system takes the thread that calls this for
// the child's parent: it must not end before the child does.
pid_t start_child(const ChildPlan& plan, const ChildLimits& limits);

// A program of the user's: in this process's group, with its streams, terminal and working folder, and the
// signals that this process ignored when it began. words[0] is looked for as a shell does; where it cannot
// be started, that is said on standard error, and it ends with 127. A guard stands between, so that it and
// all that it started end with this process; its number is returned, it ends as the program does, and
// end_child() ends it as any that has a guard.
pid_t start_alongside(const std::vector<std::string>& words,
                      const std::vector<std::pair<std::string, std::string>>& environment);

// Asks a program that was started alongside to end, which it may do in its own way, or not at all.
void ask_to_end(pid_t guard_of_program);

// Ends it and what it started. It must still be waited for.
void end_child(pid_t child, bool has_guard);

}  // namespace cudalab

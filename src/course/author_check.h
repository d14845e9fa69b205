// The checks of `cudalab author check`: starters fail, solutions pass, wrong kernels are rejected for the
// stated reason, and every lab has what learners and instructors need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/lab.h"

namespace cudalab::course {

struct AuthorSettings {
  std::filesystem::path labs;      // one folder per lab
  std::filesystem::path expected;  // recorded results, answer keys included
  std::vector<std::string> help;   // all help texts, which are translated, too
  std::vector<std::string> only;   // names of exercises or labs; empty for all
  // Returns the run that an example of a lab's help ("cudalab dot --n 1000") requests. If empty, ladders are
  // not checked.
  std::function<lab::RunRequest(const lab::Lab&, const std::string& command)> request_of;
  std::uint64_t seed = 1;
  // How often each solution and each wrong kernel is checked: with `seed`, `seed` + 1, and so on.
  std::size_t draws = 1;
};

// One item to check. `look` returns a sentence about what is wrong, or an empty message. Tasks are
// independent and may run in parallel.
struct AuthorTask {
  std::string subject;  // "padded-tile/wrong/missing_barrier.cu", "labs/transpose"
  std::function<Message()> look;
};

// Throws Error(kUsage) if `only` has an unknown name.
std::vector<AuthorTask> author_tasks(const AuthorSettings& settings, std::span<const lab::Lab> labs);

// One sentence per lab and language about missing translations. These are not errors: learners see the
// English text.
std::vector<Message> translation_lacks(const AuthorSettings& settings, std::span<const lab::Lab> labs);

// Runs the tasks on `jobs` threads. Calls `done(task, problem)` when a task ends, from one thread at a time.
void run_tasks(std::span<const AuthorTask> tasks, unsigned jobs,
               const std::function<void(const AuthorTask&, const Message& problem)>& done);

}  // namespace cudalab::course

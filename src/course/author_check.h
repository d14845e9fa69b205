// The course tests itself: starters fail, solutions pass, wrong kernels are rejected for the reason they
// state, and every lab has what a learner and an instructor need.
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
  std::filesystem::path labs;      // one folder a lab
  std::filesystem::path expected;  // the answer keys
  std::vector<std::string> help;   // the texts of the program's help, which learners read
  std::vector<std::string> only;   // names of exercises or labs; empty: all
  // What an example of a lab's help ("cudalab dot --n 1000") asks for. Empty: ladders are not run.
  std::function<lab::RunRequest(const lab::Lab&, const std::string& command)> request_of;
  std::uint64_t seed = 1;
  std::size_t draws =
      1;  // how often a solution and each wrong kernel are checked: with this seed and those that follow
};

// One thing to look at. `look` returns what is wrong with it, in a sentence; empty where nothing is. Tasks do
// not depend on each other, and may run at the same time.
struct AuthorTask {
  std::string subject;  // "padded-tile/wrong/missing_barrier.cu", "labs/transpose"
  std::function<Message()> look;
};

// Throws Error(kUsage) where `only` names nothing that there is.
std::vector<AuthorTask> author_tasks(const AuthorSettings& settings, std::span<const lab::Lab> labs);

// What its translations lack, a sentence for each lab and language: no fault, the English text is shown.
std::vector<Message> translation_lacks(const AuthorSettings& settings, std::span<const lab::Lab> labs);

// Runs them on `jobs` threads. `done(task, problem)` is called for each as it ends, one call at a time.
void run_tasks(std::span<const AuthorTask> tasks, unsigned jobs,
               const std::function<void(const AuthorTask&, const Message& problem)>& done);

}  // namespace cudalab::course

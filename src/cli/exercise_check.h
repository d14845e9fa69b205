// One check of an exercise as a learner sees it: beside this process, with the seconds that it takes, and
// noted in the progress at its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/learner.h"
#include "cli/options/option.h"
#include "cli/terminal/side_process.h"
#include "vgpu/card.h"

namespace cudalab::cli {

// How `check` and `watch` run a kernel.
struct CheckTexts {
  std::string seed, seconds, card;
};
Options options_of_checks(CheckTexts& texts);

struct CheckPlan {
  std::optional<std::uint64_t> seed;     // else a fresh one
  std::optional<std::uint64_t> seconds;  // else the default; 0: no limit
  std::optional<vgpu::Card> card{};      // else the usual one
};
// Throws Error(kUsage).
CheckPlan plan_from(const CheckTexts& texts);

class ExerciseRun {
 public:
  // Throws Error(kUsage) where the file cannot be read.
  ExerciseRun(const course::Exercise& exercise, const std::filesystem::path& file, const CheckPlan& plan,
              const Console& console);

  int descriptor() const { return side_.descriptor(); }
  // False while it runs: the progress line then says what it does, and for how many seconds.
  bool is_done();
  // Prints what came of it, and notes it where the file is the workspace's own. Returns whether it passed;
  // throws what the check threw.
  bool finish();

 private:
  const course::Exercise& exercise_;
  std::filesystem::path file_;
  const Console& console_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  SideProcess side_;
};

// From its beginning to its end.
bool check_and_note(const course::Exercise& exercise, const std::filesystem::path& file,
                    const CheckPlan& plan, const Console& console);

inline constexpr int kProgressEveryMs = 100;

}  // namespace cudalab::cli

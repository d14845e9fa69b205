// One check of an exercise as a learner sees it: beside this process, with the seconds that it takes, and
// noted in the progress at its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/learner.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/side_process.h"
#include "vgpu/card.h"

namespace cudalab::cli {

// How `check` and `watch` run a kernel.
struct CheckTexts {
  std::string seed, seconds, card;
  std::vector<std::string> show;    // pictures
  std::optional<std::string> html;  // a page: its file, or an empty name
  bool no_search = false;
};
Options options_of_checks(CheckTexts& texts);

// What becomes of a check: a screen, lines as a compiler writes them, or an object of the document.
enum class CheckFormat { kScreen, kGcc, kJson };

struct CheckPlan {
  CheckFormat format = CheckFormat::kScreen;
  std::optional<std::uint64_t> seed;     // else a fresh one
  std::optional<std::uint64_t> seconds;  // else the default; 0: no limit
  std::optional<vgpu::Card> card{};      // else the usual one
  std::vector<ShowRequest> show{};
  std::optional<std::string> html{};
  bool searches = true;  // for the line of a mistake, if the results are wrong
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
  struct Checked {
    bool passed = false;
    bool is_unexplained = false;  // the results are wrong, and no hazard says why
    std::string text;             // in the format of the plan
  };
  // What came of it, which is noted where the file is the workspace's own. Throws what the check threw.
  Checked result();

 private:
  const course::Exercise& exercise_;
  std::filesystem::path file_;
  const Console& console_;
  PageFile page_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  SideProcess side_;
};

// From its beginning to its end.
ExerciseRun::Checked check_and_note(const course::Exercise& exercise, const std::filesystem::path& file,
                                    const CheckPlan& plan, const Console& console);

// Searches for the line of a mistake in a kernel whose results are wrong (course/repair.h), beside
// this process, with progress. Returns what to print; empty if nothing was found within the limit. `plan`
// must have the seed of the check.
std::string search_for_line(const course::Exercise& exercise, const std::filesystem::path& file,
                            const CheckPlan& plan, const Console& console);

inline constexpr int kProgressEveryMs = 100;

}  // namespace cudalab::cli

// Runs one check of an exercise for a learner: in a child process, with the elapsed seconds as progress, and
// records the outcome in the workspace.
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
#include "course/repair/repair.h"
#include "vgpu/card.h"

namespace cudalab::cli {

// The options of `check` and `watch` for running a kernel.
struct CheckTexts {
  std::string seed, seconds, card;
  std::vector<std::string> show;    // pictures
  std::optional<std::string> html;  // a page: its path, or an empty text for the default path
  bool no_search = false;
};
Options options_of_checks(CheckTexts& texts);
Option no_search_option(CheckTexts& texts);

// The output of a check: a screen, compiler-style lines, or an object for a JSON document.
enum class CheckFormat { kScreen, kGcc, kJson };

struct CheckPlan {
  CheckFormat format = CheckFormat::kScreen;
  std::optional<std::uint64_t> seed;     // empty: a fresh one
  std::optional<std::uint64_t> seconds;  // empty: the default; 0: no limit
  std::optional<vgpu::Card> card{};      // empty: the default one
  std::vector<ShowRequest> show{};
  std::optional<std::string> html{};
  bool searches = true;  // search for the faulty line if the results are wrong
};
// Throws Error(kUsage).
CheckPlan plan_from(const CheckTexts& texts);

class ExerciseRun {
 public:
  // Throws Error(kUsage) if the file cannot be read.
  ExerciseRun(const course::Exercise& exercise, const std::filesystem::path& file, const CheckPlan& plan,
              const Console& console);

  int descriptor() const { return side_.descriptor(); }
  // Returns false while the check runs, and then updates the progress line with its state and elapsed
  // seconds.
  bool is_done();
  struct Checked {
    bool passed = false;
    bool is_unexplained = false;  // a kernel's results are wrong, and no hazard explains why
    std::string rejected_by;      // as ExerciseCheck::rejected_by
    std::string text;             // in the format of the plan
  };
  // The outcome, which is recorded if the file belongs to the workspace. Rethrows the check's exception.
  Checked result();

 private:
  const course::Exercise& exercise_;
  std::filesystem::path file_;
  bool is_starter_;  // unchanged
  const Console& console_;
  PageFile page_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  SideProcess side_;
};

// Records a check in the learner's progress. `mistake`: as ExerciseCheck::rejected_by; empty if the check
// shows none.
void note_check(const std::filesystem::path& workspace, const course::Exercise& exercise, bool passed,
                const std::string& mistake);

// Runs a check from start to end.
ExerciseRun::Checked check_and_note(const course::Exercise& exercise, const std::filesystem::path& file,
                                    const CheckPlan& plan, const Console& console);

// A search with all of this machine's threads, which tells its progress.
course::RepairSettings repair_settings(const Console& console, const SideProcess::Tell& tell);

// Searches for the line of a mistake in a kernel with wrong results (course/repair/repair.h). The job's
// result is a text in the format of the plan, empty if nothing was found within the limit. `plan` must have
// the seed of the check.
SideProcess::Job line_search(const course::Exercise& exercise, const std::filesystem::path& file,
                             const CheckPlan& plan, const Console& console);
// The hint after an exercise's own hints: the line of the mistake, or the edit if the line was already shown
// for the same text of the file. A single sentence if the check already says more, or if nothing was found.
struct LineHint {
  std::string text;
  bool is_line = false;  // the line was shown; the edit comes next
};
SideProcess::Job line_hint(const course::Exercise& exercise, const course::Workspace& workspace,
                           const Console& console);
// The hint in a job's result. A line is recorded in the learner's progress.
LineHint noted_line_hint(const std::string& result, const course::Exercise& exercise,
                         const course::Workspace& workspace);

// Records that a hint has shown the mistaken line of the file with this digest.
void note_line_shown(const std::filesystem::path& workspace, const course::Exercise& exercise,
                     const std::string& digest_of_file);

// Runs a job to its end, with progress.
std::string result_with_progress(const SideProcess::Job& job, const Console& console);

// Searches for the line to its end, with progress.
std::string search_for_line(const course::Exercise& exercise, const std::filesystem::path& file,
                            const CheckPlan& plan, const Console& console);

inline constexpr int kProgressEveryMs = 100;

}  // namespace cudalab::cli

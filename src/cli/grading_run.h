// Grades files in separate processes, several at once and within limits, and keeps a journal of finished
// work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "core/processes/child_pool.h"
#include "core/processes/child_process.h"
#include "grading/grade_file.h"

namespace cudalab::cli {

// Options that limit untrusted submissions, for commands that run them in separate processes.

struct LimitTexts {
  std::string cpu = "10", seconds = "60", memory = "4096";
};

Options limit_options(LimitTexts& texts);

// Throws Error(kUsage).
ChildLimits limits_from(const LimitTexts& texts);

// Grades files in separate processes, several at once, and keeps a journal of finished work.

struct GradingRun {
  std::vector<grading::Submission> submissions;
  grading::GradingRules rules;
  ChildLimits limits;
  std::size_t jobs = 1;
  std::string journal;               // one JSON object per line; empty: no journal
  std::vector<std::string> earlier;  // journals whose grades still count; includes `journal` when resuming
};

// The seed of the journal's run; empty if there is no journal.
std::optional<std::uint64_t> seed_in_journal(const std::string& journal);

// True if the journal exists and contains a grade.
bool has_grades(const std::string& journal);

// Prepares the environment for child processes that run in other folders with limited address space: its
// paths become absolute.
void prepare_for_children();

// The last line of a child's output; and that line without the leading program name.
std::string last_line(std::string text);
std::string without_program(std::string line);

// Returns one grade per submission, in their order. Throws Error.
std::vector<grading::Grade> grade_all(const GradingRun& run, const Console& console);

}  // namespace cudalab::cli

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

// The options that hold strangers' work to limits, for the commands that run it in processes of its own.

struct LimitTexts {
  std::string cpu = "10", seconds = "60", memory = "4096";
};

Options limit_options(LimitTexts& texts);

// Throws Error(kUsage).
ChildLimits limits_from(const LimitTexts& texts);

// Grades files in processes of their own, several at once, and keeps a journal of what is done.

struct GradingRun {
  std::vector<grading::Submission> submissions;
  grading::GradingRules rules;
  ChildLimits limits;
  std::size_t jobs = 1;
  std::string journal;               // a file of one JSON a line; empty: none is kept
  std::vector<std::string> earlier;  // journals whose grades still count; the one above, to go on with it
};

// That the journal's run had; nothing where there is no journal.
std::optional<std::uint64_t> seed_in_journal(const std::string& journal);

// Whether there is such a journal, with a grade in it.
bool has_grades(const std::string& journal);

// Before children are started that work in other folders, with limits on their address space: the
// environment, in which paths become absolute.
void prepare_for_children();

// What such a child said last; and the same without its own name before.
std::string last_line(std::string text);
std::string without_program(std::string line);

// In the order of the submissions; every one of them has a grade. Throws Error.
std::vector<grading::Grade> grade_all(const GradingRun& run, const Console& console);

}  // namespace cudalab::cli

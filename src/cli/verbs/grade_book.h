// The steps of `cudalab grade` after grading: totals, lateness, manual changes, and earlier runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/option.h"
#include "grading/book/changes.h"
#include "grading/book/totals.h"
#include "grading/submission.h"

namespace cudalab::cli {

struct GradeTexts;

Options book_options(GradeTexts& texts);

// The rules that turn grades into final grades.
struct BookRules {
  grading::Attempt attempt = grading::Attempt::kBest;
  grading::LateRules late;
  grading::Changes changes;
  std::optional<grading::EarlierRun> earlier;
  std::vector<std::string> works;     // those that count; none: all that some student handed in
  std::vector<std::string> expected;  // students of the roster
};

// Throws Error(kUsage) for files and options that cannot be read, before anything is graded.
BookRules book_rules_from(const GradeTexts& texts, const std::vector<grading::Submission>& submissions);

// The run that --against names, if any. Throws Error(kUsage).
std::optional<grading::EarlierRun> earlier_run_of(const GradeTexts& texts);

// Updates `grades`, which are in the order of the submissions. Returns grades of an earlier run that are
// missing in this one.
std::vector<grading::Grade> booked(const BookRules& book, const std::vector<grading::Submission>& submissions,
                                   std::vector<grading::Grade>& grades);

}  // namespace cudalab::cli

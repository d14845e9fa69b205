// What `cudalab grade` shares with the jobs of a cluster that do its work: its options, and what becomes of
// them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/grading_run.h"
#include "cli/learner.h"
#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "cli/verbs/grade_book.h"
#include "core/error.h"
#include "grading/formats.h"

namespace cudalab::cli {

struct GradeTexts {
  std::vector<std::string> files;
  std::string student, roster, cases;
  std::string attempt = "best", deadline, changes, against;
  std::optional<std::string> late;
  std::string format = "table", output, key, exercise, jobs, seed, journal, partition, color = "auto";
  LimitTexts limits;
  bool verify = false, resume = false, slurm = false, wait = false;
  std::optional<std::string> html;  // a folder
};

Options grade_options(GradeTexts& texts);

// Of what `texts` names, these submissions alone; without journals. Throws Error where the whole class would
// fail: for a wrong option, an answer key that cannot be read, a compiler that is missing.
GradingRun grading_run_from(const GradeTexts& texts, std::vector<grading::Submission> submissions);

// Where the grades go; made before the grading, which may be long. Throws Error(kUsage) where nothing can be
// written there.
using Writer =
    std::function<void(const std::vector<grading::Grade>&, const grading::ClassFacts&, const Console&)>;
Writer writer_from(const GradeTexts& texts, const GradingRun& run, const Console& console);

// Grades them all, compares them with each other, books them, and writes.
ExitCode grade_and_write(const GradingRun& run, const BookRules& book, const Writer& write,
                         const Console& console);

// Throws Error(kUsage) for a name that no exercise has; an empty one is none.
void require_exercise(const Course& all, const std::string& name);

// `grade --slurm`: submits the jobs.
ExitCode grade_on_cluster(const GradeTexts& texts, const Console& console);

}  // namespace cudalab::cli

// The parts that `cudalab grade` shares with its jobs on a cluster: options, rules, and writing the grades.
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
  std::string attempt = "best", deadline, changes, against, works;
  std::optional<std::string> late;
  std::string format = "table", output, key, exercise, jobs, seed, journal, partition, color = "auto";
  LimitTexts limits;
  bool verify = false, resume = false, slurm = false, wait = false;
  std::optional<std::string> html;  // the folder for pages
};

Options grade_options(GradeTexts& texts);

// The files to grade. Lists the foreign ones among them as remarks.
std::vector<grading::Submission> submissions_from(const GradeTexts& texts, const Console& console);

// The rules from `texts` for these submissions only, without journals. Throws Error for faults that would
// fail the whole class: a wrong option, an unreadable answer key, or a missing compiler.
GradingRun grading_run_from(const GradeTexts& texts, std::vector<grading::Submission> submissions);

// Writes the grades. It is made before grading, which may take long. Making it throws Error(kUsage) if the
// output cannot be written.
using Writer =
    std::function<void(const std::vector<grading::Grade>&, const grading::ClassFacts&, const Console&)>;
Writer writer_from(const GradeTexts& texts, const GradingRun& run, const Console& console);

// Grades all submissions, compares them with each other, computes the final grades, and writes them.
ExitCode grade_and_write(const GradingRun& run, const BookRules& book, const Writer& write,
                         const Console& console);

// Throws Error(kUsage) for an unknown exercise; an empty name is allowed.
void require_exercise(const Course& all, const std::string& name);

// `grade --slurm`: submits the jobs.
ExitCode grade_on_cluster(const GradeTexts& texts, const Console& console);

}  // namespace cudalab::cli

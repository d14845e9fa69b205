// Manual changes of grades, each with a reason, and differences from an earlier run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"
#include "grading/identity.h"

namespace cudalab::grading {

// Compares grades with those of an earlier run.

struct EarlierRun {
  std::string place;                  // its file
  std::optional<std::uint64_t> seed;  // the seed that reproduces its inputs
  std::vector<Grade> grades;
};

// Reads the output of `grade --format json`. Throws Error(kUsage) that names `place`.
EarlierRun earlier_run_from(std::string_view json, std::string_view place);

// Records in each grade its points in the earlier run, and flags grades with fewer points now. A grade
// matches an earlier one with the same student, work and content, or else the first unmatched one with the
// same student and work. Returns the earlier grades without a match.
std::vector<Grade> compare_with(const EarlierRun& earlier, std::vector<Grade>& grades);

// A manual change of a student's points, with a reason that is shown to the student.

struct Change {
  std::string student, work;  // a lab or an exercise
  std::string criterion;      // empty: the total; `late`: the deduction for lateness
  bool is_sum = false;        // true: added to the current points; false: replaces them
  double points = 0;
  std::string reason;
  std::size_t row = 0;
};

struct Changes {
  std::string place;  // the file of changes
  std::vector<Change> rows;
};

// Parses CSV: student, lab or exercise, criterion, `set 3` or `add -0.5`, reason. A first row that begins
// with `student` is skipped as a heading. Throws Error(kUsage) that names `place` and the row.
Changes changes_from(std::string_view csv, std::string_view place);

// Replaces students' names by their platform IDs from the roster, as grades use.
void name_by_roster(const std::vector<RosterEntry>& roster, Changes& changes);

// Changes of criteria are applied before lateness, changes of the total after it: a manual total is final.
void apply_to_criteria(const Changes& changes, std::vector<Grade>& grades);
void apply_to_wholes(const Changes& changes, std::vector<Grade>& grades);

// Throws Error(kUsage) for a change of a grade that does not exist, or of a criterion that the grade does not
// have.
void require_changeable(const Changes& changes, const std::vector<Grade>& grades);

}  // namespace cudalab::grading

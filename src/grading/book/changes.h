// Changes of grades: by hand with a reason, and differences from an earlier run.
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
  std::string place;                  // the file
  std::optional<std::uint64_t> seed;  // that repeats its inputs
  std::vector<Grade> grades;
};

// What `grade --format json` wrote. Throws Error(kUsage) that names `place`.
EarlierRun earlier_run_from(std::string_view json, std::string_view place);

// Notes in each grade what it was before, where the earlier run has the same content of the same student for
// the same work; or, of one that was changed since, the only one for that work. Flags who has less now.
// Returns those of the earlier run that nobody has now.
std::vector<Grade> compare_with(const EarlierRun& earlier, std::vector<Grade>& grades);

// What a person changed: points of a student, with a reason that the student reads.

struct Change {
  std::string student, work;  // a lab or an exercise
  std::string criterion;      // empty: the whole; `late`: what being late costs
  bool is_sum = false;        // added to what there is; else in its place
  double points = 0;
  std::string reason;
  std::size_t row = 0;
};

struct Changes {
  std::string place;  // the file
  std::vector<Change> rows;
};

// From CSV: student, lab or exercise, criterion, `set 3` or `add -0.5`, reason; a first row of headings that
// begins with `student` is none. Throws Error(kUsage) that names `place` and the row.
Changes changes_from(std::string_view csv, std::string_view place);

// Students of the roster go by their platform's id, as grades do.
void name_by_roster(const std::vector<RosterEntry>& roster, Changes& changes);

// Criteria's before what being late costs, the whole's after it: what a person says of the whole is final.
void apply_to_criteria(const Changes& changes, std::vector<Grade>& grades);
void apply_to_wholes(const Changes& changes, std::vector<Grade>& grades);

// Throws Error(kUsage) for a change of what nobody handed in, or of a criterion that it does not have.
void require_changeable(const Changes& changes, const std::vector<Grade>& grades);

}  // namespace cudalab::grading

// What a person changed: points of a student, with a reason that the student reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"
#include "grading/identity/roster.h"

namespace cudalab::grading {

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

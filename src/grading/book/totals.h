// Which of a student's attempts counts, and what a student has in all: over labs and exercises.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"

namespace cudalab::grading {

enum class Attempt { kBest, kLast };

// Sets which grades count: one of each student's for each lab or exercise. The last is what platform or
// roster say it is; where they do not, the best counts, and the instructor is told.
void choose_attempts(Attempt attempt, std::vector<Grade>& grades);

struct StudentTotal {
  std::string student;
  std::vector<const Grade*> counting;  // one for each work; null: nothing was handed in
  double points = 0, most = 0;         // without works that have no mark yet
  double at_stake = 0;                 // with them
  std::vector<std::string> undecided;  // these, as far as they count

  // Where a work has no mark, there is no total to enter anywhere: `without_mark`.
  std::string points_in_words(std::string_view without_mark) const;
};

struct Totals {
  std::vector<std::string> works;  // labs and exercises, in the order in which they appear
  std::vector<double> most;        // of each, at most
  std::vector<StudentTotal> students;
};

// Of the grades that count, which must outlive the totals. `expected`: students who are in it even where they
// handed in nothing. What is of no lab, since it could not be read, is of the only work where there is but
// one, and else one of its own, `not graded`, that no total holds.
Totals totals_of(std::span<const Grade> grades, std::span<const std::string> expected = {});

}  // namespace cudalab::grading

// Hand-made grades for tests of reports.
#pragma once

#include "grading/grade.h"

namespace cudalab::grading {

inline Grade full_grade() {
  Grade grade{.file = "class/ada/result.json", .student = "ada", .lab = "transpose"};
  grade.marks = {{"padded passes", 2, 2, course::Assessment::kMet, "verdict is pass, wanted: pass"},
                 {"no bank conflicts", 1.5, 1.5, course::Assessment::kMet, "counters/x is 0, wanted: 0"}};
  grade.content = "c1";
  grade.fingerprint = "f1";
  grade.seconds = 0.25;
  return grade;
}

inline Grade partial_grade() {
  Grade grade{.file = "class/bob/result.json", .student = "bob", .lab = "transpose"};
  grade.marks = {{"padded passes", 2, 2, course::Assessment::kMet, "verdict is pass, wanted: pass"},
                 {"no bank conflicts", 0, 1.5, course::Assessment::kMissed,
                  "31 conflicts, \"a column\", lie in <one> bank & cost"}};
  grade.hazards = {"shared_race"};
  grade.flags = {"the same bytes as class/eve/result.json"};
  grade.content = "c2";
  grade.fingerprint = "f2";
  return grade;
}

inline Grade broken_grade() {
  Grade grade{.file = "class/eve\x01/result.json", .student = "=HYPERLINK(\"evil\")"};
  grade.problem = "ends in the middle: it is truncated";
  grade.content = "c3";
  return grade;
}

// A grade that a time limit of the grader left undecided.
inline Grade undecided_grade() {
  Grade grade = partial_grade();
  forfeit(grade, kNotVerified + "took more than 60 seconds");
  grade.is_undecided = true;
  grade.flags.clear();
  return grade;
}

// Compiler messages contain the grader's path of the file.
inline const std::string kFoldersOfTheGrader = "/srv/class/bob";
inline Grade grade_with_paths(bool is_broken) {
  Grade grade = partial_grade();
  const std::string sentence = "cannot be compiled: " + kFoldersOfTheGrader + "/mine.cu:3: no such name";
  if (is_broken)
    forfeit(grade, sentence);
  else
    grade.marks[1].sentence = sentence;
  return grade;
}

// With levelled maxima, as in the output of `grade`.
inline std::vector<Grade> small_class() {
  std::vector<Grade> grades{full_grade(), partial_grade(), broken_grade()};
  level_maxima(grades);
  return grades;
}

}  // namespace cudalab::grading

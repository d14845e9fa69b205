// Grades as texts: for people, spreadsheets, learning platforms and build servers. docs/grading.md shows one
// of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"

namespace cudalab::grading {

struct TableStyle {
  bool colour = false;
  int width = 100;
};

inline constexpr const char* kGradesSchema = "cudalab.grades/1";

// What there is to say of a class besides its grades.
struct ClassFacts {
  std::uint64_t seed = 0;                  // that repeats the inputs and the cases
  std::vector<std::string> expected = {};  // students of the roster, whether they handed in or not
  std::vector<Grade> gone = {};            // of an earlier run, which nobody has now
};

// A line a submission, then the totals where they are not the same, what changed since an earlier run, what
// the flagged ones are flagged for, and a summary.
std::string table_text(std::span<const Grade> grades, const TableStyle& style, const ClassFacts& facts = {});

// identifier,points,maximum,feedback,lab,file,flags,counts,total,total_maximum: RFC 4180, UTF-8; no cell
// begins as a spreadsheet's formula would.
std::string csv_text(std::span<const Grade> grades);

// `cudalab.grades/1`, described by docs/grades.schema.json.
std::string json_text(std::span<const Grade> grades, const ClassFacts& facts);

// A row a student: identifier,points,maximum, then the points of each lab and exercise.
std::string totals_text(std::span<const Grade> grades, std::span<const std::string> expected);

// The results.json of one submission: gradescope-autograders.readthedocs.io/en/latest/specs.
std::string gradescope_text(const Grade& grade);

// What a GitHub Classroom grader hands to github.com/classroom-resources/autograding-grading-reporter (there
// in Base64), for one submission.
std::string classroom_text(const Grade& grade);

// JUnit XML as Ant writes it, a suite a submission. `timestamp`: "2026-01-31T17:05:00".
std::string junit_text(std::span<const Grade> grades, std::string_view timestamp);

// For CSV: quoted where it must be, and harmless in a spreadsheet.
std::string csv_cell(std::string_view text);

}  // namespace cudalab::grading

// Grades as texts: for people, spreadsheets, learning platforms and build servers. docs/grading.md shows one
// of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "grading/grade.h"

namespace cudalab::grading {

struct TableStyle {
  bool colour = false;
  int width = 100;
};

// A line a submission, then what the flagged ones are flagged for, then a summary.
std::string table_text(std::span<const Grade> grades, const TableStyle& style);

// identifier,points,maximum,feedback,lab,file,flags: RFC 4180, UTF-8; no cell begins as a spreadsheet's
// formula would.
std::string csv_text(std::span<const Grade> grades);

// `cudalab.grades/1`, described by docs/grades.schema.json.
std::string json_text(std::span<const Grade> grades, std::uint64_t seed);

// The results.json of one submission: gradescope-autograders.readthedocs.io/en/latest/specs.
std::string gradescope_text(const Grade& grade);

// What a GitHub Classroom grader hands to github.com/classroom-resources/autograding-grading-reporter (there
// in Base64), for one submission.
std::string classroom_text(const Grade& grade);

// JUnit XML as Ant writes it, a suite a submission. `timestamp`: "2026-01-31T17:05:00".
std::string junit_text(std::span<const Grade> grades, std::string_view timestamp);

// For CSV: quoted where it must be, and harmless in a spreadsheet.
std::string csv_cell(std::string_view text);

// "4", "2.5", "1.333"
std::string points_text(double points);

}  // namespace cudalab::grading

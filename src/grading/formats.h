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

// The attempt at each that counts (book/totals.h). RFC 4180, UTF-8, cells harmless in a spreadsheet; what
// instructors alone should see is not in it.

// Moodle, Grades > Import > CSV file: username, and of each item its points and what was missed.
std::string moodle_text(std::span<const Grade> grades);

// Moodle, the assignment > Upload grading worksheet: the columns of its offline grading worksheet, a row a
// student with the points and the feedback of everything that counts. Moodle knows a participant by the
// number in the names of downloads; "Identifier" is empty where a student has none.
std::string moodle_worksheet_text(std::span<const Grade> grades);

// Canvas, Grades > Import: Student,ID,SIS User ID,SIS Login ID,Section, then a column an item, and the row of
// points possible.
std::string canvas_text(std::span<const Grade> grades);

// Canvas, Rubrics > Import rubric: a row a criterion of this grade's, met or missed.
std::string canvas_rubric_text(const Grade& grade);

// What a class got wrong: which criteria and which hazards, and by how many.

struct CommonMistake {
  enum Kind { kCriterion, kHazard, kProblem };
  Kind kind{};
  std::string lab, name;
  std::size_t students = 0, of = 0;  // of those who handed in that lab
  std::string example;               // one student's sentence
};

// The most frequent first within each kind; criteria that everybody met are left out.
std::vector<CommonMistake> common_mistakes(std::span<const Grade> grades);

std::string mistakes_text(std::span<const CommonMistake> mistakes, std::size_t submissions, int width);

// kind,lab,name,students,of,example
std::string mistakes_csv(std::span<const CommonMistake> mistakes);

// Grades as pages: the class at a glance for who teaches it, and one page a student, with nothing of others
// in it.

// `expected`: students who have their row among the totals even where they handed in nothing.
std::string class_page(std::span<const Grade> grades, std::span<const std::string> expected = {});

// Of one student's submissions. Flags name other submissions, and are for the instructor: they stay out.
std::string student_page(const std::string& student, std::span<const Grade> grades);

// Whose page a grade stands in: the student, or the file's name where nobody said.
std::string owner_of(const Grade& grade);

}  // namespace cudalab::grading

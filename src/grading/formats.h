// Formats grades for people, spreadsheets, learning platforms and build servers. docs/grading.md shows an
// example of each format.
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

// Information about a class besides its grades.
struct ClassFacts {
  std::uint64_t seed = 0;                  // the seed that reproduces inputs and cases
  std::vector<std::string> expected = {};  // all students of the roster
  std::vector<Grade> gone = {};            // grades of an earlier run without a counterpart now
};

// One line per submission, then totals if they add information, changes since an earlier run, the flags, and
// a summary.
std::string table_text(std::span<const Grade> grades, const TableStyle& style, const ClassFacts& facts = {});

// Columns: identifier,points,maximum,feedback,lab,file,flags,counts,total,total_maximum. RFC 4180, UTF-8; no
// cell begins like a spreadsheet formula.
std::string csv_text(std::span<const Grade> grades);

// A `cudalab.grades/1` document, described by docs/grades.schema.json.
std::string json_text(std::span<const Grade> grades, const ClassFacts& facts);

// One row per student: identifier,points,maximum, then the points of each lab and exercise.
std::string totals_text(std::span<const Grade> grades, std::span<const std::string> expected);

// The results.json of one submission; see gradescope-autograders.readthedocs.io/en/latest/specs.
std::string gradescope_text(const Grade& grade);

// The output of a GitHub Classroom grader for one submission, before Base64 encoding; see
// github.com/classroom-resources/autograding-grading-reporter.
std::string classroom_text(const Grade& grade);

// JUnit XML in Ant's format, one suite per submission. `timestamp`: "2026-01-31T17:05:00".
std::string junit_text(std::span<const Grade> grades, std::string_view timestamp);

// Quotes a CSV cell if necessary, and makes it harmless in a spreadsheet.
std::string csv_cell(std::string_view text);

// Files for gradebooks contain the attempts that count (book/totals.h), in RFC 4180 and UTF-8, with cells
// that are harmless in a spreadsheet. They contain nothing that only instructors should see.

// Moodle, Grades > Import > CSV file: username, and per item its points and the missed criteria.
std::string moodle_text(std::span<const Grade> grades);

// Moodle, the assignment > Upload grading worksheet: the columns of its offline grading worksheet, one row
// per student with the points and feedback of all attempts that count. Moodle identifies a participant by the
// number in the names of downloaded files; "Identifier" is empty for students without a number.
std::string moodle_worksheet_text(std::span<const Grade> grades);

// Canvas, Grades > Import: Student,ID,SIS User ID,SIS Login ID,Section, then one column per item, and a row
// with the points possible.
std::string canvas_text(std::span<const Grade> grades);

// Canvas, Rubrics > Import rubric: one row per criterion of this grade, with ratings for met and missed.
std::string canvas_rubric_text(const Grade& grade);

// Frequent mistakes of a class: missed criteria and hazards, with the number of students.

struct CommonMistake {
  enum Kind { kCriterion, kHazard, kProblem };
  Kind kind{};
  std::string lab, name;
  std::size_t students = 0, of = 0;  // `of`: the number of students who submitted that lab
  std::string example;               // a sentence from one student's grade
};

// Sorted by frequency within each kind; omits criteria that all students met.
std::vector<CommonMistake> common_mistakes(std::span<const Grade> grades);

std::string mistakes_text(std::span<const CommonMistake> mistakes, std::size_t submissions, int width);

// kind,lab,name,students,of,example
std::string mistakes_csv(std::span<const CommonMistake> mistakes);

// HTML pages: an overview of the class for instructors, and one page per student without information about
// other students.

// `expected`: students who get a row in the totals even without a submission.
std::string class_page(std::span<const Grade> grades, std::span<const std::string> expected = {});

// Shows one student's submissions. Omits flags, which are for the instructor and name other submissions.
std::string student_page(const std::string& student, std::span<const Grade> grades);

// The student on whose page a grade appears; the file's name if the student is unknown.
std::string owner_of(const Grade& grade);

}  // namespace cudalab::grading

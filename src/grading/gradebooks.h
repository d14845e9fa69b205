// Grades as the tables that learning platforms import: a row a student, a column a lab or exercise.
#pragma once

#include <span>
#include <string>

#include "grading/grade.h"

namespace cudalab::grading {

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

}  // namespace cudalab::grading

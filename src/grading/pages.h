// Grades as pages: the class at a glance for who teaches it, and one page a student, with nothing of others
// in it.
#pragma once

#include <span>
#include <string>

#include "grading/grade.h"

namespace cudalab::grading {

// `expected`: students who have their row among the totals even where they handed in nothing.
std::string class_page(std::span<const Grade> grades, std::span<const std::string> expected = {});

// Of one student's submissions. Flags name other submissions, and are for the instructor: they stay out.
std::string student_page(const std::string& student, std::span<const Grade> grades);

// Whose page a grade stands in: the student, or the file's name where nobody said.
std::string owner_of(const Grade& grade);

}  // namespace cudalab::grading

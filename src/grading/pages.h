// Grades as HTML pages: an overview of the class with its frequent mistakes, and one page per student.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grading/grade.h"

namespace cudalab::grading {

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

// What a class got wrong: which criteria and which hazards, and by how many.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grading/grade.h"

namespace cudalab::grading {

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

}  // namespace cudalab::grading

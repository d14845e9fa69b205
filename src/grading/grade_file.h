// Grades one file of any kind: the task of each process of `cudalab grade`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "course/check.h"
#include "course/exercise.h"
#include "grading/grade.h"
#include "grading/submission.h"

namespace cudalab::grading {

struct GradingRules {
  std::filesystem::path keys;                    // a folder of answer keys, or one of them
  std::string exercise;                          // for kernel files; empty: the one that the path names
  bool verify = false;                           // run documents again
  std::uint64_t seed = 1;                        // of a kernel's inputs and randomly drawn cases
  std::uint64_t steps = course::kStepsOfACheck;  // for all launches of one check, as in a learner's check
  std::filesystem::path cases = {};              // an instructor's additional cases; empty: none
};

// Grades a kernel if the file ends in .cu, otherwise a document. The file's contents never cause an
// exception. Throws Error(kUsage) for an invalid answer key and Error(kUnavailable) if this machine lacks a
// compiler or memory.
Grade grade_file(const Submission& submission, const GradingRules& rules);

// For a submission with a problem: adds the missed marks with their maxima, as far as the file's path
// identifies the work.
void require_maximum(const Submission& submission, const GradingRules& rules, Grade& grade);

bool is_kernel_file(const std::filesystem::path& file);

// Flags copies: identical files, kernels that differ only in white space, documents with exactly equal times,
// and several submissions of one student.
void flag_copies(std::vector<Grade>& grades);

// Fills all fields of the grade except file, student and content.
void grade_kernel(const Submission& submission, const std::string& text, const GradingRules& rules,
                  Grade& grade);

// For a kernel file that cannot be checked: adds all marks of its exercise with 0 points. Adds none if the
// exercise is unknown.
void put_at_stake(const Submission& submission, const GradingRules& rules, Grade& grade);

// An instructor's own cases for one exercise, from a file like {"padded-tile": [{"rows": 5, "cols": 9}], …}.
// Empty if `file` is empty or does not name the exercise. Throws Error(kUsage) that names file and key.
std::vector<course::Case> own_cases(const std::filesystem::path& file, const course::Exercise& exercise);

// Checks the cases of all exercises before grading; also throws for the name of an unknown exercise.
void require_own_cases(const std::filesystem::path& file, const std::vector<course::Exercise>& course);

// Throws Error(kUsage) if the rubric has a weight for a part that the exercise's check does not have.
void require_known_parts(const Rubric& rubric, const std::vector<course::Exercise>& course);

}  // namespace cudalab::grading

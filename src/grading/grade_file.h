// Grades one file, whatever it is: what each process of `cudalab grade` does.
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
  std::filesystem::path keys;  // a folder of answer keys, or one of them
  std::string exercise;    // what kernel files are checked against; empty: the one that the file's path names
  bool verify = false;     // run documents again
  std::uint64_t seed = 1;  // of the inputs of kernel files, and of the cases that are drawn for them
  std::uint64_t steps =
      course::kStepsOfACheck;        // of all launches of a kernel file's check: as a learner's has
  std::filesystem::path cases = {};  // a file of an instructor's own cases; empty: none
};

// Files that end in .cu are kernels, all others documents. Nothing that the file holds makes it throw; it
// throws Error(kUsage) for a wrong answer key and Error(kUnavailable) where this machine lacks a compiler or
// memory.
Grade grade_file(const Submission& submission, const GradingRules& rules);

// Of a submission that was not judged, for grade.problem: the marks that there were to be had, as far as the
// file's place says which.
void require_maximum(const Submission& submission, const GradingRules& rules, Grade& grade);

bool is_kernel_file(const std::filesystem::path& file);

// Flags what is there twice: the same file, the same document with other names in it, the same student twice.
void flag_copies(std::vector<Grade>& grades);

// Fills everything of the grade but file, student and content.
void grade_kernel(const Submission& submission, const std::string& text, const GradingRules& rules,
                  Grade& grade);

// Of a kernel file that cannot be checked, for grade.problem: all marks that there were to be had, with no
// points. None where the file's exercise is not known.
void put_at_stake(const Submission& submission, const GradingRules& rules, Grade& grade);

// An instructor's own cases, {"padded-tile": [{"rows": 5, "cols": 9}], …}, of one exercise; none where the
// file is
// "" or does not name it. Throws Error(kUsage) that names file and key.
std::vector<course::Case> own_cases(const std::filesystem::path& file, const course::Exercise& exercise);

// The same of all exercises, for who wants to know a mistake in time: one of a name that is no exercise's,
// too.
void require_own_cases(const std::filesystem::path& file, const std::vector<course::Exercise>& course);

// Throws Error(kUsage) where the rubric weighs a part that the check of an exercise does not have.
void require_known_parts(const Rubric& rubric, const std::vector<course::Exercise>& course);

}  // namespace cudalab::grading

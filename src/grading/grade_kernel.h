// Grades a student's kernel file by the check of an exercise.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/exercise.h"
#include "grading/grade_file.h"

namespace cudalab::grading {

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

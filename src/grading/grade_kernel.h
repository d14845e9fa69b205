// Grades a student's kernel file by the check of an exercise.
#pragma once

#include <filesystem>
#include <string>

#include "grading/grade_file.h"

namespace cudalab::grading {

// Fills everything of the grade but file, student and content.
void grade_kernel(const std::filesystem::path& file, const std::string& text, const GradingRules& rules,
                  Grade& grade);

}  // namespace cudalab::grading

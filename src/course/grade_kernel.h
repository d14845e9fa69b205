// Grades a student's kernel file by the check of an exercise.
#pragma once

#include <filesystem>
#include <string>

#include "course/grade_file.h"

namespace cudalab::course {

// Fills everything of the grade but file, student and content.
void grade_kernel(const std::filesystem::path& file, const std::string& text, const GradingRules& rules,
                  Grade& grade);

}  // namespace cudalab::course

// Finds reasons for a failed check: what the source shows by itself, and where runs of the learner's file
// differ from runs of the solution.
#pragma once

#include <filesystem>

#include "course/check.h"
#include "course/trials.h"

namespace cudalab::course {

// Adds reasons to the first missed part of the check, which was made of `file` with these trials. At most
// kMostReasons; none if the file did not compile.
void add_reasons(ExerciseCheck& check, const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                 const std::filesystem::path& file, const CheckSettings& settings,
                 const lab::Machine& machine);

}  // namespace cudalab::course

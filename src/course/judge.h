// Judges a learner's file against an exercise: runs the exercise's cases and drawn ones until a requirement
// is missed.
#pragma once

#include "course/check.h"
#include "course/trials.h"

namespace cudalab::course {

// The check of the file that `trials` run, without reasons for what is wrong.
ExerciseCheck judge(const Exercise& exercise, const lab::Lab& lab, Trials& trials,
                    const CheckSettings& settings);

}  // namespace cudalab::course

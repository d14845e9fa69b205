// A learner's standing with each concept of the course, and the next step that follows from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "course/plan.h"

namespace cudalab::course {

// How a learner stands with one concept.
struct Standing {
  const CourseConcept* about = nullptr;  // points into the plan, which must outlive the standing
  int exercises = 0, passed = 0;         // practising it: in the course, and passed by the learner
  int mistakes = 0, hints = 0;           // in all exercises; hints count for the exercise's main concept
  bool is_begun = false;                 // an exercise that practises it was checked or given up
  // The last finished exercise that needed the concept (it practises it, or its mistakes show a lack of it),
  // if it took kWeakFrom mistakes and hints or more. Null: nothing shows that the learner should practise the
  // concept again.
  const Exercise* weak_in = nullptr;
  int trouble = 0;  // mistakes and hints in `weak_in`
};

// A repeated mistake counts at most kMostRepeats times: `watch` checks each time a file is saved. A given-up
// exercise counts as much as all of its hints.
inline constexpr int kMostRepeats = 3, kWeakFrom = 3;

// The standing with each concept of the plan, in its order.
std::vector<Standing> standings(std::span<const Exercise> course, const Workspace& workspace,
                                const CoursePlan& plan);

// The learner's next step and its reason.
struct NextStep {
  enum Why {
    kAllDone,   // nothing that was begun is left
    kContinue,  // the exercise that was checked last has not passed yet
    kPractise,  // a concept was hard; this exercise practises it, and no concept that is new to the learner
    kInOrder,   // the first in the order of the course or path
  } why = kAllDone;
  const Exercise* exercise = nullptr;   // null: kAllDone
  std::optional<Standing> practises{};  // kPractise
  bool is_first_of_lab = false;         // kInOrder: no exercise or quiz of its lab was begun
};

NextStep next_step(std::span<const Exercise> course, const Workspace& workspace, const CoursePlan& plan);

}  // namespace cudalab::course

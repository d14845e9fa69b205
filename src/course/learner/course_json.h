// The course as a JSON document: labs, concepts and exercises, with a learner's progress.
#pragma once

#include <span>
#include <string>

#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "course/plan.h"
#include "lab/lab.h"
#include "report/tool.h"

namespace cudalab::course {

// `cudalab.course/1`, described by docs/course.schema.json. An exercise that the learner has not started has
// no progress. Ends with a line end.
std::string course_json_text(std::span<const Exercise> course, std::span<const lab::Lab> labs,
                             const CoursePlan& plan, const Workspace& workspace, const report::Tool& tool);

}  // namespace cudalab::course

// A path through the course: a syllabus in Markdown, labs/course/PATH.md or an instructor's own, whose weeks
// name labs and exercises.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "course/plan.h"

namespace cudalab::course {

// A section of the page: a heading `## …` and the text below it.
struct SyllabusWeek {
  std::string title;
  std::vector<std::string> labs, exercises;  // named in `backquotes` in its lists, in order
};

struct Syllabus {
  std::string name;  // "first-course"
  std::string text;  // the page, in Markdown
  std::vector<SyllabusWeek> weeks;
};

// A word in backquotes in a list below a heading `## …` is a lab or an exercise if it consists of small
// letters, digits and hyphens. Throws Error(kUsage) that names the place if there is no such lab or exercise,
// if an exercise is named twice, or if the page names no exercise.
Syllabus syllabus_from(const std::string& name, const std::string& text, std::span<const Exercise> course,
                       std::span<const lab::Lab> labs, const Message& place);

CoursePath path_of(const Syllabus& syllabus);

// The minutes that the labs and exercises of a week take, according to the plan and the exercises.
int minutes_of(const SyllabusWeek& week, std::span<const Exercise> course, const CoursePlan& plan);

// SYLLABUS.md of a learner's folder: the page in their language, with the time that each week takes.
std::string syllabus_text(const Syllabus& syllabus, std::span<const Exercise> course, const CoursePlan& plan,
                          const Wording& wording);

}  // namespace cudalab::course

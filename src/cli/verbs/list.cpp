// `cudalab list`: the labs and what each teaches, and the exercises.
#include <fmt/format.h>

#include <algorithm>

#include "cli/learner.h"
#include "cli/verbs.h"
#include "lab/lab.h"
#include "report/text/paragraph.h"

namespace cudalab::cli {
namespace {

// With marks where the learner has started the course.
void list_exercises(const Console& console) {
  const Course course = load_whole_course(console.wording);
  const auto folder = workspace_around(console);
  const course::Workspace workspace = folder ? course::load_workspace(*folder) : course::Workspace{};
  const course::Exercise* current = course::current_exercise(course, workspace);
  console.say(fmt::format("\n{}\n", console.wording.say<"Exercises">()));
  console.say(course::course_text(course, workspace, current, style_of(console)));
  if (folder)
    console.say(fmt::format("\n{}\n", course::progress_line(course, workspace, console.wording)));
  else
    console.say_line(
        "\n" + console.wording
                   .say<"Take them with `cudalab start all`, or only a lab's with `cudalab start LAB`.">());
}

ExitCode list(const Console& console) {
  const Wording& wording = console.wording;
  std::size_t name_width = 0, title_width = 0;
  for (const lab::Lab& lab : lab::labs()) {
    name_width = std::max(name_width, lab.name.size());
    title_width = std::max(title_width, report::columns_of(wording.text(lab.title)));
  }
  for (const lab::Lab& lab : lab::labs())
    console.say_line(fmt::format("{:<{}}  {:<{}}  {}", lab.name, name_width, wording.text(lab.title),
                                 title_width, wording.text(lab.teaches)));
  console.say_line("\n" +
                   wording.say<"Run one with `cudalab LAB`; `cudalab LAB --help` lists its options.">());
  list_exercises(console);
  return ExitCode::kPassed;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .alias = "",
          .summary = "show the labs and what each teaches, and the exercises",
          .examples = {"cudalab list"},
          .declare = no_options(list)};
}

}  // namespace cudalab::cli

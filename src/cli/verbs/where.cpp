// `cudalab` alone in a terminal: where the learner is, and what is next.
#include <fmt/format.h>

#include "cli/learner.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

constexpr const char* kOutside =
    "cudalab: an interactive lab workbook for CUDA, with or without a GPU\n\n"
    "  cudalab start all     take the course: exercises in a folder of yours, checked as you save them\n"
    "  cudalab transpose     run a lab, and see what the memory system did; `cudalab list` shows them all\n"
    "  cudalab run FILE.cu   run any kernel of yours\n"
    "  cudalab --help        everything else\n";

}  // namespace

ExitCode show_where_you_are(const Console& console) {
  const Wording& wording = console.wording;
  const auto folder = workspace_around(console);
  if (!folder) {
    console.say(kOutside);
    return ExitCode::kPassed;
  }
  const Course course = load_whole_course(console.wording);
  const course::Workspace workspace = course::load_workspace(*folder);
  console.say(fmt::format("{}\n\n", course::progress_line(course, workspace, console.wording)));
  const course::Exercise* current = course::current_exercise(course, workspace);
  if (!current) {
    console.say_line(wording.say<"Every exercise that was started is done.">());
    if (workspace.exercises.size() < course.size())
      console.say_line(wording.say<"More:   cudalab start all">());
    return ExitCode::kPassed;
  }
  console.say(course::task_text(*current, style_of(console)));
  console.say_line(
      "\n" + wording.say<"Edit:   {}   (the handout: {})">(shown_path(workspace.kernel_file(*current)),
                                                           shown_path(workspace.handout(current->lab))));
  console.say_line(wording.say<"Check:  cudalab check, or cudalab watch">());
  console.say_line(wording.say<"Stuck:  cudalab hint">());
  console.say_line(wording.say<"All:    cudalab progress">());
  return ExitCode::kPassed;
}

}  // namespace cudalab::cli

// `cudalab progress`: how far the learner is.
#include "cli/learner.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

ExitCode progress(const Console& console) {
  const Course course = load_whole_course(console.wording);
  const course::Workspace workspace = require_workspace(console);
  const course::Exercise* current = course::current_exercise(course, workspace);
  console.say(course::course_text(course, workspace, current, style_of(console)));
  console.say(fmt::format("\n{}\n", course::progress_line(course, workspace, console.wording)));
  if (const std::string quizzes = course::quizzes_line(workspace, console.wording); !quizzes.empty())
    console.say_line(quizzes);
  if (current)
    console.say_line(
        console.wording.say<"Next: {}, {}">(current->name, shown_path(workspace.kernel_file(*current))));
  return ExitCode::kPassed;
}

}  // namespace

Verb progress_verb() {
  return {.name = "progress",
          .alias = "",
          .summary = "how far you are: every exercise, its checks and hints",
          .examples = {"cudalab progress"},
          .declare = no_options(progress),
          .more_help =
              "[x] passed, [.] begun, [s] solution shown before it passed, [ ] not yet begun. It is kept in\n"
              "cudalab.json, which you can read.\n"};
}

}  // namespace cudalab::cli

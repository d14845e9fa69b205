// `cudalab hint`: three levels, one more each time.
#include "cli/learner.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

Options hint_options(std::string& word) { return {exercise_option(word)}; }

ExitCode hint(const std::string& word, const Console& console) {
  const Course course = load_whole_course(console.wording);
  const course::Workspace before = require_workspace(console);
  const course::Exercise& exercise = exercise_called(course, before, word);
  const course::Workspace now = change_progress(before.folder, [&](course::Workspace& workspace) {
    course::Progress& progress = workspace.exercises[exercise.name];
    progress.lab = exercise.lab;
    progress.hints = std::min(progress.hints + 1, course::kHints);
  });
  const std::size_t shown = now.exercises.at(exercise.name).hints;
  console.say(course::hints_text(exercise, shown, style_of(console)));
  const std::string next =
      shown < course::kHints
          ? console.wording.say<"Not enough? `cudalab hint` again says more.">()
          : console.wording.say<"That was the last. `cudalab solution {} --give-up` shows the solution.">(
                exercise.name);
  console.say_line("\n" + next);
  return ExitCode::kPassed;
}

}  // namespace

Verb hint_verb() {
  return {.name = "hint",
          .alias = "",
          .summary = "a hint for the exercise: a nudge first, more each time",
          .examples = {"cudalab hint", "cudalab hint padded-tile"},
          .declare = with_options(hint_options, hint)};
}

}  // namespace cudalab::cli

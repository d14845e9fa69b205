// `cudalab reset`: puts the starter of an exercise back, beside what the learner wrote.
#include <fmt/format.h>

#include "cli/learner.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

Options reset_options(std::string& word) { return {{"WHAT", "", &word, "an exercise or a lab"}}; }

ExitCode reset(const std::string& word, const Console& console) {
  if (word.empty()) throw usage_error("reset needs an exercise or a lab, as in `cudalab reset padded-tile`");
  const Course course = load_whole_course(console.wording);
  const course::Workspace workspace = require_workspace(console);
  std::size_t count = 0;
  for (const course::Exercise* exercise : exercises_called(course, word)) {
    if (!workspace.has(exercise->name)) continue;
    console.say_line(reset_exercise(workspace, *exercise, console.wording));
    ++count;
  }
  if (count == 0) throw not_started(word);
  return ExitCode::kPassed;
}

}  // namespace

Verb reset_verb() {
  return {.name = "reset",
          .alias = "",
          .summary = "begin an exercise anew; what you wrote is kept beside it",
          .examples = {"cudalab reset padded-tile", "cudalab reset transpose"},
          .declare = with_options(reset_options, reset),
          .more_help =
              "Your file becomes NAME.cu.old (NAME.cu.old.2, … where one is there already). The exercise no\n"
              "longer counts as passed, and its hints are folded up again.\n"};
}

}  // namespace cudalab::cli

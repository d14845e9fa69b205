// `cudalab solution`: the course's own kernel, for who has one or gives up.
#include <fmt/format.h>

#include "cli/learner.h"
#include "cli/verbs.h"
#include "core/files.h"

namespace cudalab::cli {
namespace {

struct SolutionTexts {
  std::string word;
  bool gives_up = false;
};

Options solution_options(SolutionTexts& texts) {
  return {exercise_option(texts.word),
          {"--give-up", "", &texts.gives_up, "show it although yours has not passed; your progress says so"}};
}

bool has_passed(const course::Workspace& workspace, const course::Exercise& exercise) {
  const auto found = workspace.exercises.find(exercise.name);
  return found != workspace.exercises.end() && !found->second.passed.empty();
}

void note_giving_up(const course::Workspace& workspace, const course::Exercise& exercise) {
  change_progress(workspace.folder, [&](course::Workspace& now) {
    course::Progress& progress = now.exercises[exercise.name];
    progress.lab = exercise.lab;
    if (progress.gave_up.empty()) progress.gave_up = today();
  });
}

ExitCode solution(const SolutionTexts& texts, const Console& console) {
  const Course course = load_whole_course(console.wording);
  const course::Workspace workspace = require_workspace(console);
  const course::Exercise& exercise = exercise_called(course, workspace, texts.word);
  if (!has_passed(workspace, exercise)) {
    if (!texts.gives_up)
      throw Error(
          ExitCode::kFailed,
          fmt::format("{0} has not passed yet; try `cudalab hint {0}`, or see the solution all the same with "
                      "`cudalab solution {0} --give-up`, which is noted",
                      exercise.name));
    note_giving_up(workspace, exercise);
  }
  console.print(read_text(exercise.solution()));
  return ExitCode::kPassed;
}

}  // namespace

Verb solution_verb() {
  return {.name = "solution",
          .alias = "",
          .summary = "show the course's solution of an exercise that you have passed",
          .examples = {"cudalab solution padded-tile", "cudalab solution padded-tile --give-up"},
          .declare = with_options(solution_options, solution)};
}

}  // namespace cudalab::cli

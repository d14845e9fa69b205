// Small verbs for the current exercise: `hint`, `solution`, `reset`, `progress`, and `cudalab` without a
// verb.
#include <fmt/format.h>

#include "cli/exercise_check.h"
#include "cli/learner.h"
#include "cli/verbs.h"
#include "core/files.h"
#include "messages/cli.h"

namespace cudalab::cli {

// `cudalab hint`: gives up to three hints, one more per call, then the line of the mistake, then its edit.

namespace {

Options hint_options(std::string& word) { return {exercise_option(word)}; }

bool has_shown_all(const course::Workspace& workspace, const course::Exercise& exercise) {
  const auto found = workspace.exercises.find(exercise.name);
  return found != workspace.exercises.end() && found->second.hints == course::kHints;
}

ExitCode hint(const std::string& word, const Console& console) {
  const Course course = load_whole_course(console.wording);
  const course::Workspace before = require_workspace(console);
  const course::Exercise& exercise = exercise_called(course, before, word);
  const course::Workspace now = show_hint(before.folder, exercise);
  const std::size_t shown = now.exercises.at(exercise.name).hints;
  console.say(course::hints_text(exercise, shown, style_of(console)));
  Message next = shown < course::kHints ? msg::hint_more() : msg::hint_more_line();
  if (exercise.is_program && shown == course::kHints) next = msg::hint_was_last(exercise.name);
  if (has_shown_all(before, exercise) && !exercise.is_program) {
    require_file(exercise, now.kernel_file(exercise));
    const LineHint line =
        noted_line_hint(result_with_progress(line_hint(exercise, now, console), console), exercise, now);
    console.say(line.text);
    next = line.is_line ? msg::hint_more_edit() : msg::hint_was_last(exercise.name);
  }
  console.say_line("\n" + console.wording.say(next));
  return ExitCode::kPassed;
}

}  // namespace

Verb hint_verb() {
  return {.name = "hint",
          .alias = "",
          .summary = "show a hint for the exercise; each further hint says more",
          .examples = {"cudalab hint", "cudalab hint padded-tile"},
          .declare = with_options(hint_options, hint),
          .more_help =
              "After the hints of the exercise, a hint checks your kernel. If its results are wrong and a\n"
              "small change makes it pass, the hint shows the line, and the next one the change.\n"};
}

// `cudalab solution`: prints the course's own kernel for learners who have passed the exercise or give up.

namespace {

struct SolutionTexts {
  std::string word;
  bool gives_up = false;
};

Options solution_options(SolutionTexts& texts) {
  return {exercise_option(texts.word),
          {"--give-up", "", &texts.gives_up,
           "show the solution before your kernel has passed; your progress records this"}};
}

bool has_passed(const course::Workspace& workspace, const course::Exercise& exercise) {
  const auto found = workspace.exercises.find(exercise.name);
  return found != workspace.exercises.end() && !found->second.passed.empty();
}

ExitCode solution(const SolutionTexts& texts, const Console& console) {
  const Course course = load_whole_course(console.wording);
  const course::Workspace workspace = require_workspace(console);
  const course::Exercise& exercise = exercise_called(course, workspace, texts.word);
  if (!has_passed(workspace, exercise)) {
    if (!texts.gives_up) throw Error(ExitCode::kFailed, msg::solution_not_passed(exercise.name));
    note_giving_up(workspace.folder, exercise);
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

// `cudalab reset`: restores the starter of an exercise and keeps the learner's version in a backup.

namespace {

Options reset_options(std::string& word) { return {{"WHAT", "", &word, "an exercise or a lab"}}; }

ExitCode reset(const std::string& word, const Console& console) {
  if (word.empty()) throw usage_error(msg::reset_target_missing());
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
          .summary = "start an exercise over; your version is kept beside it",
          .examples = {"cudalab reset padded-tile", "cudalab reset transpose"},
          .declare = with_options(reset_options, reset),
          .more_help =
              "Your file is renamed to NAME.cu.old (NAME.cu.old.2, … if that exists). An exercise that\n"
              "you passed stays passed; its hints are hidden again.\n"};
}

// `cudalab progress`: shows the learner's progress.

namespace {

ExitCode progress(const Console& console) {
  const Course course = load_whole_course(console.wording);
  const course::Workspace workspace = require_workspace(console);
  const course::NextStep next = next_step_in(course, workspace);
  const Wording& wording = console.wording;
  const course::ScreenStyle style = style_of(console);
  std::string text = course::progress_line(course, workspace, wording) + "\n";
  for (const std::string& line :
       {course::path_line(course, workspace, wording), course::quizzes_line(workspace, wording)})
    if (!line.empty()) text += line + "\n";
  text += course::reason_text(next, workspace, style);
  if (next.exercise)
    text += wording.say(
                msg::progress_next(next.exercise->name, shown_path(workspace.kernel_file(*next.exercise)))) +
            "\n";
  if (const std::string concepts =
          course::standings_text(course::standings(course, workspace, course_plan()), style);
      !concepts.empty())
    text += "\n" + concepts;
  console.page(text + "\n" + course::course_text(course, workspace, next.exercise, style));
  return ExitCode::kPassed;
}

}  // namespace

Verb progress_verb() {
  return {.name = "progress",
          .alias = "",
          .summary = "show your progress: concepts and exercises, with mistakes, checks and hints",
          .examples = {"cudalab progress"},
          .declare = no_options(progress),
          .more_help =
              "[x] passed, [.] started, [s] solution shown before it passed, [ ] not started. A concept\n"
              "is to be practised again if the last exercise that needed it took three mistakes and hints\n"
              "or more. Your progress is stored in cudalab.json, which you can read.\n"};
}

// `cudalab` without arguments on a terminal: shows the learner's position in the course and the next step.

namespace {

constexpr const char* kOutside =
    "cudalab: an interactive lab workbook for CUDA, with or without a GPU\n"
    "\n"
    "  cudalab start --path first-course   take the course: exercises in your own folder, step by step\n"
    "  cudalab transpose                   run a lab; `cudalab list` shows all labs and exercises\n"
    "  cudalab run FILE.cu                 run your own kernel\n"
    "  cudalab --help                      everything else\n";

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
  console.say_line(course::progress_line(course, workspace, wording));
  if (const std::string path = course::path_line(course, workspace, wording); !path.empty())
    console.say_line(path);
  const course::NextStep next = next_step_in(course, workspace);
  const course::Exercise* current = next.exercise;
  console.say(course::reason_text(next, workspace, style_of(console)) + "\n");
  if (!current) {
    console.say_line(wording.say(msg::progress_all_started_done()));
    if (workspace.exercises.size() < course.size()) console.say_line(wording.say(msg::progress_more()));
    return ExitCode::kPassed;
  }
  console.say(course::task_text(*current, style_of(console)));
  console.say_line("\n" + wording.say(msg::progress_edit(shown_path(workspace.kernel_file(*current)),
                                                         shown_path(workspace.handout(current->lab)))));
  console.say_line(wording.say(msg::progress_check()));
  console.say_line(wording.say(msg::progress_stuck()));
  console.say_line(wording.say(msg::progress_all()));
  return ExitCode::kPassed;
}

}  // namespace cudalab::cli

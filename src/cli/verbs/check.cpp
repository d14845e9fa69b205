// `cudalab check`: compiles the learner's kernel, runs it on edge-case sizes, and reports which requirements
// it misses.
#include <fmt/format.h>

#include "cli/exercise_check.h"
#include "cli/options/option.h"
#include "cli/verbs.h"
#include "compile/nvrtc/compiler_process.h"
#include "core/files.h"
#include "course/check_formats.h"
#include "messages/cli.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using course::Exercise;

struct VerbTexts {
  std::string what, exercise, format = "screen";
  bool json = false;
  CheckTexts check;
};

constexpr Named<CheckFormat> kCheckFormats[]{{"screen", CheckFormat::kScreen}, {"gcc", CheckFormat::kGcc}};

CheckPlan plan_of(const VerbTexts& texts) {
  CheckPlan plan = plan_from(texts.check);
  plan.format = texts.json ? CheckFormat::kJson : chosen("--format", texts.format, kCheckFormats);
  return plan;
}

Options check_options(VerbTexts& texts) {
  return Options{{"WHAT", "", &texts.what, "an exercise, a lab, or a file"},
                 {"--exercise", " NAME", &texts.exercise,
                  "the exercise that the file solves, if its name does not say so"},
                 {"--format", " " + alternatives(kCheckFormats), &texts.format,
                  "gcc: FILE:LINE:COLUMN: error: …, for editors"},
                 {"--json", "", &texts.json, "print the findings as JSON"},
                 no_search_option(texts.check)} +
         options_of_checks(texts.check);
}

struct ToCheck {
  const Exercise* exercise;
  fs::path file;
};

std::vector<ToCheck> files_called(const Course& course, const VerbTexts& texts, const Console& console) {
  if (!texts.exercise.empty()) {
    const Exercise* exercise = course::find_exercise(course, texts.exercise);
    if (!exercise) exercise = exercises_called(course, texts.exercise).front();
    if (texts.what.empty()) throw usage_error(msg::check_exercise_needs_file());
    return {{exercise, texts.what}};
  }
  if (names_a_file(texts.what)) return {{exercises_called(course, texts.what).front(), texts.what}};
  const course::Workspace workspace = require_workspace(console);
  if (texts.what.empty()) {
    const Exercise& current = exercise_called(course, workspace, texts.what);
    return {{&current, workspace.kernel_file(current)}};
  }
  std::vector<ToCheck> files;
  for (const Exercise* exercise : exercises_called(course, texts.what))
    if (workspace.has(exercise->name)) files.push_back({exercise, workspace.kernel_file(*exercise)});
  if (files.empty()) throw not_started(texts.what);
  return files;
}

void require_files(const std::vector<ToCheck>& files) {
  for (const ToCheck& each : files) require_file(*each.exercise, each.file);
}

void say_what_is_next(const Course& course, const Exercise& passed, const fs::path& file,
                      const Console& console) {
  const Wording& wording = console.wording;
  console.print("\n" + course::named_command(wording.say(msg::check_lab_row()),
                                             course::command_for(passed, shown_path(file), {}),
                                             style_of(console)));
  const auto folder = course::find_workspace(".");
  if (!folder) return;
  const course::Workspace workspace = course::load_workspace(*folder);
  console.say_line(wording.say(msg::check_solution(passed.name)));
  const course::NextStep next = next_step_in(course, workspace);
  if (next.exercise) {
    console.say(course::reason_text(next, workspace, style_of(console)));
    console.say_line(wording.say(msg::check_next(next.exercise->name, next.exercise->title,
                                                 shown_path(workspace.kernel_file(*next.exercise)))));
  } else {
    console.say_line(wording.say(msg::check_nothing_left(course::progress_line(course, workspace, wording))));
  }
}

void say_what_follows(const Course& course, const std::vector<ToCheck>& files, std::size_t passed,
                      const Console& console) {
  if (files.size() > 1)
    console.say(
        fmt::format("\n{}\n", console.wording.say(msg::check_exercises_passed(passed, files.size()))));
  else if (passed == 1)
    say_what_is_next(course, *files.front().exercise, files.front().file, console);
  else if (course::find_workspace("."))
    console.say(
        fmt::format("         {}\n", console.wording.say(msg::check_hint(files.front().exercise->name))));
}

ExitCode check(const VerbTexts& texts, const Console& console) {
  const Course course = load_whole_course(console.wording);
  const std::vector<ToCheck> files = files_called(course, texts, console);
  require_files(files);
  CheckPlan plan = plan_of(texts);
  if (!plan.seed) plan.seed = fresh_seed();  // the search for the faulty line must use the same inputs
  if (plan.format != CheckFormat::kScreen && !plan.show.empty())
    throw usage_error(msg::check_show_and_format(texts.format));
  if (files.size() > 1 && plan.html && !plan.html->empty())
    throw usage_error(msg::check_html_one_page(*plan.html, files.size()));
  std::size_t passed = 0;
  std::vector<std::string> checks;
  for (const ToCheck& each : files) {
    if (plan.format == CheckFormat::kScreen && &each != &files.front()) console.say("\n");
    if (files.size() > 1) compile::lend_compiler();
    const ExerciseRun::Checked checked = check_and_note(*each.exercise, each.file, plan, console);
    passed += checked.passed;
    if (plan.format != CheckFormat::kJson) console.print(checked.text);
    const std::string repair = checked.is_unexplained && plan.searches
                                   ? search_for_line(*each.exercise, each.file, plan, console)
                                   : "";
    if (plan.format != CheckFormat::kJson)
      console.print(repair);
    else
      checks.push_back(repair.empty() ? checked.text : course::with_repair(checked.text, repair));
  }
  if (plan.format == CheckFormat::kJson) console.print(course::checks_json_text(checks, report::this_tool()));
  if (plan.format == CheckFormat::kScreen) say_what_follows(course, files, passed, console);
  return passed == files.size() ? ExitCode::kPassed : ExitCode::kFailed;
}

}  // namespace

Verb check_verb() {
  return {.name = "check",
          .alias = "",
          .summary = "check your kernel: does it compile, is it correct, does it do what the exercise asks",
          .examples = {"cudalab check", "cudalab check padded-tile", "cudalab check transpose",
                       "cudalab check my_kernel.cu --exercise padded-tile", "cudalab check --format gcc"},
          .declare = with_options(check_options, check),
          .more_help =
              "WHAT is an exercise, a lab (all its exercises that you have started), or a file; default:\n"
              "the exercise that is next. Checks always run on the virtual GPU, which has\n"
              "counters.\n"};
}

}  // namespace cudalab::cli

// Runs an exercise's check in a child process. The first character of the child's result states whether the
// kernel passed; the rest of its first line is the reason for the rejection.
#include "cli/exercise_check.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <thread>

#include "cli/options/lab_options.h"
#include "cli/options/shared_options.h"
#include "core/digest.h"
#include "core/files.h"
#include "course/check_formats.h"
#include "course/repair/repair.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"
#include "report/page/result_page.h"
#include "report/text/excerpt.h"
#include "report/text/layout.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

// Kernels are limited by steps, which are the same on every machine; the time limits only protect this
// machine.
constexpr std::uint64_t kSecondsOfAProgram = 2, kSecondsOfAKernel = 30, kMostSeconds = 1'000'000;
constexpr char kLineFound = '+', kNoLine = '-';  // of a hint
constexpr char kPassed = '+', kMissed = '-', kUnexplained = '?';
const std::string kPageBegins(1, '\0');  // no screen contains this character

// A check with a time limit of at most a minute needs no warning.
bool may_take_long(const course::CheckSettings& settings) {
  constexpr double kMinute = 60;
  return settings.processor_seconds == 0 || settings.processor_seconds > kMinute;
}

course::CheckSettings settings_from(const course::Exercise& exercise, const CheckPlan& plan,
                                    const Console& console, const SideProcess::Tell& tell) {
  course::CheckSettings settings;
  settings.seed = plan.seed.value_or(fresh_seed());
  settings.processor_seconds = static_cast<double>(
      plan.seconds.value_or(exercise.is_program ? kSecondsOfAProgram : kSecondsOfAKernel));
  if (plan.seconds) settings.steps = 0;  // a limit in seconds replaces the limit in steps
  settings.card = plan.card;
  if (tell)
    settings.progress = [tell, wording = console.wording](const Message& what) { tell(wording.say(what)); };
  if (may_take_long(settings))
    settings.remark = [console](const Message& text) { console.remark_between(console.wording.say(text)); };
  return settings;
}

report::ReadSource sources_beside(const std::string& users_file) {
  return [users_file](const lab::Row& row) { return read_text(lab::source_path(row.source, users_file)); };
}

std::string pictures_of(const course::ExerciseCheck& check, const std::string& file, const CheckPlan& plan,
                        const course::ScreenStyle& style) {
  if (plan.show.empty() || !check.result) return "";
  return pictures_text(plan.show, *check.result, sources_beside(file),
                       {.colour = style.colour, .width = style.width, .wording = style.wording});
}

std::string page_of(const course::Exercise& exercise, const course::ExerciseCheck& check,
                    const std::string& file, const CheckPlan& plan, const Wording& wording) {
  if (!plan.html || !check.result) return "";
  return kPageBegins + report::result_page(*check.result, sources_beside(file), wording,
                                           course::check_html(exercise, check, wording));
}

// The results are wrong, and no hazard explains why.
bool is_unexplained(const course::Exercise& exercise, const course::ExerciseCheck& check) {
  return !exercise.is_program && check.parts.size() > 2 &&
         check.parts[1].outcome == course::CheckPart::kMet &&
         check.parts[2].outcome == course::CheckPart::kMissed;
}

SideProcess::Job check_job(const course::Exercise& exercise, const fs::path& file, const CheckPlan& plan,
                           const Console& console) {
  return [&exercise, shown = shown_path(file), source = read_text(file), plan, style = style_of(console),
          console](const SideProcess::Tell& tell) {
    const course::ExerciseCheck check = course::check_exercise(exercise, *lab::find_lab(exercise.lab), shown,
                                                               settings_from(exercise, plan, console, tell));
    const std::string text =
        plan.format == CheckFormat::kScreen ? course::check_text(exercise, check, source, shown, style) +
                                                  pictures_of(check, shown, plan, style)
        : plan.format == CheckFormat::kGcc ? course::gcc_text(check, source, shown, style.wording)
                                           : course::check_json(exercise, check, shown);
    return (check.passed                      ? kPassed
            : is_unexplained(exercise, check) ? kUnexplained
                                              : kMissed) +
           check.rejected_by + "\n" + text + page_of(exercise, check, shown, plan, style.wording);
  };
}

std::string repair_text(const course::Repair& repair, const std::string& source, CheckFormat format,
                        const course::ScreenStyle& style) {
  switch (format) {
    case CheckFormat::kGcc: return course::gcc_repair_text(repair, source, style.wording);
    case CheckFormat::kJson: return course::repair_json(repair);
    case CheckFormat::kScreen: break;
  }
  return report::sentence_at_line(style.wording.say(course::describe(repair)), repair.where.line, source,
                                  style.width, style.colour);
}

// Why the last hint does not even search for a line.
Message why_no_line(const course::Exercise& exercise, const course::ExerciseCheck& check) {
  if (check.passed) return msg::hint_passes();
  if (check.rejected_by == course::kDoesNotCompile) return msg::hint_does_not_compile(exercise.name);
  const bool is_before_results =
      check.parts.size() > 1 && check.parts[1].outcome == course::CheckPart::kMissed;
  return is_before_results ? msg::hint_hazard(exercise.name) : msg::hint_criterion(exercise.name);
}

// The result of a hint that is the last one.
std::string no_line(const std::string& sentence, const course::ScreenStyle& style) {
  return kNoLine + ("\n" + report::wrap(sentence, style.width, 0) + "\n");
}

// The folder of the workspace, if `file` is that workspace's own file of the exercise.
std::optional<fs::path> home_of(const course::Exercise& exercise, const fs::path& file) {
  const auto folder = course::find_workspace(file.parent_path().empty() ? "." : file.parent_path());
  if (!folder) return std::nullopt;
  const course::Workspace workspace = course::load_workspace(*folder);
  std::error_code unknown;
  const bool is_own =
      workspace.has(exercise.name) && fs::equivalent(workspace.kernel_file(exercise), file, unknown);
  return is_own ? folder : std::nullopt;
}

}  // namespace

course::RepairSettings repair_settings(const Console& console, const SideProcess::Tell& tell) {
  course::RepairSettings settings;
  settings.threads = std::max(1u, std::thread::hardware_concurrency());
  settings.progress = [tell, console](std::size_t tried, std::size_t count) {
    tell(console.wording.say(msg::status_searching_line(tried, count)));
  };
  return settings;
}

void note_check(const fs::path& workspace, const course::Exercise& exercise, bool passed,
                const std::string& mistake) {
  change_progress(workspace, [&](course::Workspace& now) {
    course::Progress& progress = now.exercises[exercise.name];
    progress.lab = exercise.lab;
    ++progress.checks;
    progress.checked = today();
    if (!passed && !mistake.empty()) ++progress.mistakes[mistake];
    if (passed && progress.passed.empty()) progress.passed = today();
  });
}

void note_line_shown(const fs::path& workspace, const course::Exercise& exercise,
                     const std::string& digest_of_file) {
  change_progress(workspace, [&](course::Workspace& now) {
    now.exercises[exercise.name].line_shown_of = digest_of_file;
  });
}

Options options_of_checks(CheckTexts& texts) {
  return {seed_option(texts.seed, "default: new inputs for every check"),
          {"--timeout", " S", &texts.seconds,
           fmt::format("stop your kernel after S seconds of processor time (0: no limit); default: after {} "
                       "million steps, or {} seconds for a program",
                       course::kStepsOfACheck / 1'000'000, kSecondsOfAProgram)},
          card_option(texts.card),
          show_option(texts.show),
          html_option(texts.html, "the check and its pictures")};
}

Option no_search_option(CheckTexts& texts) {
  return {"--no-search", "", &texts.no_search,
          "if the results are wrong, do not search for the line of the mistake"};
}

CheckPlan plan_from(const CheckTexts& texts) {
  CheckPlan plan;
  if (!texts.seed.empty()) plan.seed = parse_natural("--seed", texts.seed, UINT64_MAX);
  if (!texts.seconds.empty()) plan.seconds = parse_natural("--timeout", texts.seconds, kMostSeconds);
  plan.card = card_from(texts.card);
  plan.show = show_requests_from(texts.show);
  plan.html = texts.html;
  plan.searches = !texts.no_search;
  return plan;
}

ExerciseRun::ExerciseRun(const course::Exercise& exercise, const fs::path& file, const CheckPlan& plan,
                         const Console& console)
    : exercise_(exercise),
      file_(file),
      is_starter_(read_text(file) == read_text(exercise.starter())),
      console_(console),
      page_(plan.html, exercise.name),
      side_(check_job(exercise, file, plan, console)) {}

bool ExerciseRun::is_done() {
  if (side_.is_done()) return true;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began_).count();
  const std::string what =
      side_.progress().empty() ? console_.wording.say(msg::status_checking()) : side_.progress();
  console_.show_progress(seconds > 0 ? fmt::format("{} s  {}", seconds, what) : what);
  return false;
}

ExerciseRun::Checked ExerciseRun::result() {
  console_.clear_progress();
  const std::string result = side_.result();
  const std::size_t begin = result.find('\n') + 1, end = std::min(result.find(kPageBegins), result.size());
  const Checked checked{result.front() == kPassed, result.front() == kUnexplained,
                        result.substr(1, begin - 2), result.substr(begin, end - begin)};
  if (end < result.size()) page_.write(std::string_view(result).substr(end + kPageBegins.size()), console_);
  // An unchanged starter shows no mistake of the learner.
  if (const auto home = home_of(exercise_, file_))
    note_check(*home, exercise_, checked.passed, is_starter_ ? "" : checked.rejected_by);
  return checked;
}

namespace {

// A check whose result states only whether and where to search, and a search within the time that is left.
class CheckAndSearch {
 public:
  CheckAndSearch(const course::Exercise& exercise, const std::string& file, const CheckPlan& plan,
                 const Console& console, const SideProcess::Tell& tell)
      : exercise_(exercise),
        lab_(*lab::find_lab(exercise.lab)),
        file_(file),
        settings_(settings_from(exercise, plan, console, {})),
        search_(repair_settings(console, tell)) {
    const auto begin = std::chrono::steady_clock::now();
    settings_.gives_reasons = false;
    settings_.processor_seconds = search_.limit.count();
    check_ = course::check_exercise(exercise_, lab_, file_, settings_);
    search_.limit -= std::chrono::steady_clock::now() - begin;
  }

  const course::ExerciseCheck& check() const { return check_; }
  std::optional<course::Repair> repair() const {
    return course::find_repair(exercise_, lab_, file_, check_, settings_, search_);
  }

 private:
  const course::Exercise& exercise_;
  const lab::Lab& lab_;
  std::string file_;
  course::CheckSettings settings_;
  course::RepairSettings search_;
  course::ExerciseCheck check_;
};

}  // namespace

SideProcess::Job line_search(const course::Exercise& exercise, const fs::path& file, const CheckPlan& plan,
                             const Console& console) {
  return [&exercise, shown = shown_path(file), source = read_text(file), plan, style = style_of(console),
          console](const SideProcess::Tell& tell) -> std::string {
    const auto repair = CheckAndSearch(exercise, shown, plan, console, tell).repair();
    return repair ? repair_text(*repair, source, plan.format, style) : "";
  };
}

SideProcess::Job line_hint(const course::Exercise& exercise, const course::Workspace& workspace,
                           const Console& console) {
  const fs::path file = workspace.kernel_file(exercise);
  const std::string source = read_text(file);
  const auto known = workspace.exercises.find(exercise.name);
  const bool shows_edit = known != workspace.exercises.end() && known->second.line_shown_of == digest(source);
  return [&exercise, shown = shown_path(file), source, shows_edit, style = style_of(console),
          console](const SideProcess::Tell& tell) -> std::string {
    CheckPlan plan;
    plan.seed = fresh_seed();
    const CheckAndSearch search(exercise, shown, plan, console, tell);
    if (!is_unexplained(exercise, search.check()))
      return no_line(style.wording.say(why_no_line(exercise, search.check())), style);
    const auto repair = search.repair();
    if (!repair) return no_line(style.wording.say(msg::hint_no_edit(exercise.name)), style);
    if (!shows_edit) return kLineFound + digest(source) + repair_text(*repair, source, plan.format, style);
    return no_line(style.wording.say(course::describe_edit(*repair, source)) + ".", style) +
           report::source_excerpt(repair->where.line, source, 4, style.colour);
  };
}

LineHint noted_line_hint(const std::string& result, const course::Exercise& exercise,
                         const course::Workspace& workspace) {
  if (result.front() != kLineFound) return {result.substr(1), false};
  const std::size_t digits = digest("").size();
  note_line_shown(workspace.folder, exercise, result.substr(1, digits));
  return {result.substr(1 + digits), true};
}

std::string result_with_progress(const SideProcess::Job& job, const Console& console) {
  SideProcess side(job);
  while (!side.is_done()) {
    console.show_progress(side.progress());
    pollfd news{side.descriptor(), POLLIN, 0};
    ::poll(&news, 1, kProgressEveryMs);
  }
  console.clear_progress();
  return side.result();
}

std::string search_for_line(const course::Exercise& exercise, const fs::path& file, const CheckPlan& plan,
                            const Console& console) {
  return result_with_progress(line_search(exercise, file, plan, console), console);
}

ExerciseRun::Checked check_and_note(const course::Exercise& exercise, const fs::path& file,
                                    const CheckPlan& plan, const Console& console) {
  ExerciseRun run(exercise, file, plan, console);
  while (!run.is_done()) {
    pollfd news{run.descriptor(), POLLIN, 0};
    ::poll(&news, 1, kProgressEveryMs);
  }
  return run.result();
}

}  // namespace cudalab::cli

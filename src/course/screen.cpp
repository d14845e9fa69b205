// Lays out the course's screens.
#include "course/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/error.h"
#include "core/files.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "lab/locate.h"
#include "messages/course.h"
#include "report/page/document.h"
#include "report/pictures/renderers.h"
#include "report/text/compile_errors.h"
#include "report/text/excerpt.h"
#include "report/text/layout.h"
#include "report/text/values.h"

namespace cudalab::course {
namespace {

using report::Ink;
using report::inked;

constexpr std::size_t kMostPictureRows = 8;  // limit for a picture among the parts
constexpr std::size_t kWordColumn = 2, kTextColumn = 8, kCommandColumn = 9;

struct OutcomeWord {
  const char* word;
  Ink ink;
};

OutcomeWord word_of(CheckPart::Outcome outcome) {
  switch (outcome) {
    case CheckPart::kMet: return {"ok", Ink::kGood};
    case CheckPart::kMissed: return {"NO", Ink::kBad};
    case CheckPart::kNotReached: return {"-", Ink::kFaint};
  }
  return {};
}

std::string indented(const std::string& text, std::size_t indent, const ScreenStyle& style) {
  return report::wrap(text, static_cast<std::size_t>(style.width), indent) + "\n";
}

// Folds a line to the terminal's width.
std::string folded(const std::string& line, const ScreenStyle& style) {
  return style.is_terminal ? report::fold(line, static_cast<std::size_t>(style.width)) : line;
}

std::string command_lines(const std::string& command, std::size_t indent, const ScreenStyle& style) {
  const std::string line = std::string(indent, ' ') + command;
  const auto width = static_cast<std::size_t>(style.width);
  if (!style.is_terminal || report::columns_of(line) <= width) return line + "\n";
  return report::wrap_command(command, width, std::min(indent, kWordColumn)) + "\n";
}

// A picture below its part, indented like the part's name. Empty if the terminal is too narrow.
std::string drawn(const report::Picture& picture, const ScreenStyle& style) {
  const report::TableStyle narrower{
      .colour = style.colour, .width = style.width - static_cast<int>(kWordColumn), .wording = style.wording};
  std::string text;
  if (narrower.width < report::kNarrowestPicture) return text;
  const std::string rows = report::picture_text(report::shortened(picture, kMostPictureRows), narrower);
  for (const std::string_view row : split(rows, '\n'))
    text += row.empty() ? "\n" : fmt::format("{:{}}{}\n", "", kWordColumn, row);
  return text;
}

std::string advice_text(const CheckPart& part, const ScreenStyle& style) {
  if (part.advice.empty()) return "";
  return indented(as_sentence(style.wording.say(part.advice), style.wording.language()), kTextColumn, style);
}

// The line with its neighbours: in the learner's file, or in a file of the lab.
std::string excerpt_of(const SourceLine& line, std::string_view source, const std::string& file,
                       const ScreenStyle& style) {
  const auto excerpt = [&](std::string_view text) {
    return report::source_excerpt(line.line, text, kTextColumn, style.colour,
                                  fmt::format("{}:{}", line.file, line.line));
  };
  if (line.file == file || line.file.empty()) return excerpt(source);
  try {
    return excerpt(read_text(lab::source_path(line.file, file)));
  } catch (const Error&) {  // a header of the compiler
    return fmt::format("{:{}}{}:{}\n", "", kTextColumn, line.file, line.line);
  }
}

// The reasons, each after the excerpt of its line. Consecutive reasons in the same line share one excerpt.
std::string reasons_text(const CheckPart& part, std::string_view source, const std::string& file,
                         const ScreenStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < part.reasons.size(); ++i) {
    const Reason& reason = part.reasons[i];
    text +=
        indented(as_sentence(style.wording.say(reason.what), style.wording.language()), kTextColumn, style);
    const bool is_shown_next = i + 1 < part.reasons.size() && part.reasons[i + 1].where == reason.where;
    if (reason.where && !is_shown_next)
      text += report::source_excerpt(reason.where->line, source, kTextColumn, style.colour,
                                     fmt::format("{}:{}", file, reason.where->line));
  }
  return text;
}

// The compiler's further errors. The first one's line is shown as the part's line.
std::string errors_text(compile::Diagnosis diagnosis, const ScreenStyle& style) {
  diagnosis.source_text.clear();
  return report::compile_errors_text(diagnosis, kTextColumn, static_cast<std::size_t>(style.width),
                                     style.wording);
}

std::string part_text(const CheckPart& part, std::string_view source, const std::string& file,
                      const ScreenStyle& style) {
  const OutcomeWord word = word_of(part.outcome);
  const std::string name = name_of(part, style.wording);
  std::string text = fmt::format(
      "{:{}}{}{}", "", kWordColumn,
      inked(fmt::format("{:<{}}", word.word, kTextColumn - kWordColumn), word.ink, style.colour),
      inked(name, part.outcome == CheckPart::kNotReached ? Ink::kFaint : Ink::kPlain, style.colour));
  if (part.outcome != CheckPart::kMissed) return folded(text, style) + "\n" + advice_text(part, style);
  if (part.on) text = style.wording.say(msg::part_with_case(text, named(*part.on)));
  text = folded(text + "\n", style);
  text +=
      indented(as_sentence(style.wording.say(part.sentence), style.wording.language()), kTextColumn, style);
  std::vector<SourceLine> shown;
  for (const auto& line : {part.where, part.called_from, part.other})
    if (line && std::ranges::find(shown, *line) == shown.end()) {
      text += excerpt_of(*line, source, file, style);
      shown.push_back(*line);
    }
  if (part.diagnosis) text += errors_text(*part.diagnosis, style);
  text += reasons_text(part, source, file, style);
  text += advice_text(part, style);
  return text;
}

std::string pictures_text(const ExerciseCheck& check, const ScreenStyle& style) {
  std::string text;
  for (const CheckPart& part : check.parts)
    for (const report::Picture& picture : part.pictures)
      if (const std::string lines = drawn(picture, style); !lines.empty()) text += "\n" + lines;
  return text;
}

std::string printed_text(const std::string& printed, bool by_program, const Wording& wording) {
  constexpr std::size_t kMost = 12;
  std::string text;
  const auto lines = split(printed, '\n');
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i)
    text += fmt::format("{:{}}{}\n", "", kTextColumn, harmless_lines(lines[i]));
  if (lines.size() > kMost)
    text += fmt::format("{:{}}{}\n", "", kTextColumn, wording.say(msg::more_lines(lines.size() - kMost)));
  if (text.empty()) return "";
  return fmt::format("\n  {}\n{}", wording.say(by_program ? msg::program_wrote() : msg::kernel_printed()),
                     text);
}

std::vector<std::string> said(std::span<const compile::Diagnosis> warnings, const Wording& wording) {
  std::vector<std::string> lines;
  for (const compile::Diagnosis& warning : warnings) lines.push_back(wording.say(warning.message()));
  return lines;
}

std::string warnings_text(std::span<const compile::Diagnosis> warnings, const ScreenStyle& style) {
  std::string text;
  for (const std::string& line : said(warnings, style.wording)) text += indented(line, kTextColumn, style);
  return text.empty() ? "" : fmt::format("\n  {}\n{}", style.wording.say(msg::compiler_warned()), text);
}

std::string option_for_shell(const std::string& name, const lab::OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? " --" + name : "";
  return fmt::format(" --{}={}", name, shell_word(report::shown(value)));
}

std::string title_of(const Exercise& exercise, const ScreenStyle& style) {
  return folded(fmt::format("{}  {}\n", inked(exercise.name, Ink::kHeading, style.colour), exercise.title),
                style);
}

// ---- the course --------------------------------------------------------------------------------------

struct Mark {
  const char* text;
  Ink ink;
};

Mark mark_of(const Exercise& exercise, const Workspace& workspace) {
  const auto found = workspace.exercises.find(exercise.name);
  if (found == workspace.exercises.end()) return {"[ ]", Ink::kFaint};
  if (!found->second.passed.empty()) return {"[x]", Ink::kGood};
  if (!found->second.gave_up.empty()) return {"[s]", Ink::kUnsure};
  return found->second.checks > 0 ? Mark{"[.]", Ink::kUnsure} : Mark{"[ ]", Ink::kPlain};
}

std::string effort_of(const Exercise& exercise, const Workspace& workspace, const Wording& wording) {
  const auto found = workspace.exercises.find(exercise.name);
  if (found == workspace.exercises.end())
    return workspace.exercises.empty() ? "" : wording.say(msg::effort_none());
  std::vector<std::string> parts;
  if (const int checks = found->second.checks; checks > 0)
    parts.push_back(wording.say(msg::effort_checks(checks)));
  if (const std::size_t hints = found->second.hints; hints > 0)
    parts.push_back(wording.say(msg::effort_hints(hints)));
  return joined(parts);
}

// An exercise in a narrow column: its name, and its title on the next line.
std::string stacked(const Exercise& exercise, const std::string& effort, const ScreenStyle& style) {
  const std::string rest = effort.empty() ? exercise.title : fmt::format("{} ({})", exercise.title, effort);
  return fmt::format("{}  {}\n{}", exercise.name, effort_needed(exercise, style.wording),
                     indented(rest, kTextColumn, style));
}

}  // namespace

std::string effort_needed(const Exercise& exercise, const Wording& wording) {
  std::string stars;
  for (int i = 0; i < kMostStars; ++i) stars += i < exercise.difficulty ? "★" : "☆";
  return fmt::format("{} {}", stars, wording.say(msg::time_minutes(exercise.minutes)));
}

std::string task_text(const Exercise& exercise, const ScreenStyle& style) {
  std::string text = folded(fmt::format("{}  {}  {}\n", inked(exercise.name, Ink::kHeading, style.colour),
                                        exercise.title, effort_needed(exercise, style.wording)),
                            style);
  for (const std::string& paragraph : exercise.task) text += "\n" + indented(paragraph, kWordColumn, style);
  return text;
}

std::string command_for(const Exercise& exercise, const std::string& file, const Case& options) {
  std::string text =
      fmt::format("cudalab {} --kernel {} --as {}", exercise.lab, shell_word(file), exercise.stage);
  for (const auto& [name, value] : options) text += option_for_shell(name, value);
  return text;
}

std::string step_command(const Exercise& exercise, const std::string& file, const CheckPart& missed,
                         std::uint64_t seed) {
  const std::vector<Case> cases = all_cases(exercise);
  const bool is_kernel = !exercise.is_program || !exercise.kernel_stage.empty();
  const bool tells = std::filesystem::path(file).stem() == exercise.name;
  const auto on = missed.on ? std::ranges::find(cases, *missed.on) : cases.end();
  if (!is_kernel || !tells || on == cases.end()) return "";
  std::string text = fmt::format("cudalab step {}", shell_word(file));
  if (on != cases.begin()) text += fmt::format(" --case={}", on - cases.begin() + 1);
  text += fmt::format(" --seed={}", seed);
  if (!missed.warp) return text;
  const Dim3& block = missed.warp->block;
  text += fmt::format(" --block={}", block.x);
  if (block.y || block.z) text += fmt::format(",{}", block.y);
  if (block.z) text += fmt::format(",{}", block.z);
  return text + fmt::format(" --warp={}", missed.warp->warp);
}

namespace {

// The verdict, and what to do next.
std::string verdict_text(const Exercise& exercise, const ExerciseCheck& check, const std::string& file,
                         const ScreenStyle& style) {
  const Wording& wording = style.wording;
  if (check.passed)
    return folded(
        fmt::format("\n{}  {}\n", inked(wording.say(msg::verdict_passed()), Ink::kGood, style.colour),
                    wording.say(msg::passed_with_seed(check.seed))),
        style);
  const auto missed = std::ranges::find(check.parts, CheckPart::kMissed, &CheckPart::outcome);
  const std::string word =
      fmt::format("\n{}  ", inked(wording.say(msg::verdict_not_yet()), Ink::kBad, style.colour));
  if (missed == check.parts.end() || !missed->on || check.rejected_by == kStopped)
    return folded(word + wording.say(msg::next_repair_line()) + "\n", style);
  const std::string command =
      fmt::format("{} --seed={}", command_for(exercise, file, *missed->on), check.seed);
  const std::string text = folded(word + wording.say(msg::next_look_at_case()) + "\n", style) +
                           command_lines(command, kCommandColumn, style);
  const std::string step = step_command(exercise, file, *missed, check.seed);
  if (step.empty()) return text;
  const std::string see = wording.say(msg::next_see_steps());
  return text + folded(fmt::format("{:<{}}{}\n", "", kCommandColumn, see), style) +
         command_lines(step, kCommandColumn, style);
}

}  // namespace

// Missed parts come first and pictures last, so a short terminal shows what matters.
std::string check_text(const Exercise& exercise, const ExerciseCheck& check, std::string_view source,
                       const std::string& file, const ScreenStyle& style) {
  std::string missed, others;
  for (const CheckPart& part : check.parts)
    (part.outcome == CheckPart::kMissed ? missed : others) += part_text(part, source, file, style);
  return title_of(exercise, style) + "\n" + missed + others + warnings_text(check.warnings, style) +
         printed_text(check.printed, exercise.is_program, style.wording) +
         verdict_text(exercise, check, file, style) + pictures_text(check, style);
}

namespace {

// The case, the reason and the advice of a missed part.
std::string why_html(const CheckPart& part, const Wording& wording) {
  const auto said = [&wording](const Message& message) {
    return message.empty() ? "" : as_sentence(wording.say(message), wording.language());
  };
  std::vector<std::string> sentences;
  if (part.on && part.outcome == CheckPart::kMissed)
    sentences.push_back(said(msg::with_case(named(*part.on))));
  sentences.push_back(said(part.sentence));
  for (const Reason& reason : part.reasons) sentences.push_back(said(in_line(reason)));
  sentences.push_back(said(part.advice));
  std::erase(sentences, "");
  return joined_sentences(sentences);
}

std::string lines_html(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("<h3>{}</h3>\n<pre>", report::html(title));
  for (const std::string& line : lines) text += report::html(line) + "\n";
  return text + "</pre>\n";
}

}  // namespace

std::string check_html(const Exercise& exercise, const ExerciseCheck& check, const Wording& wording) {
  std::string text = fmt::format(
      "<p><strong>{}</strong> {}</p>\n<p class=\"verdict {}\">{}</p>\n", report::html(exercise.name),
      report::html(wording.text(exercise.title)), check.passed ? "pass" : "fail",
      report::html(wording.say(check.passed ? msg::page_passed() : msg::page_not_yet())));
  std::vector<std::vector<report::PageCell>> rows;
  std::string pictures;
  for (const CheckPart& part : check.parts) {
    const char* const style = part.outcome == CheckPart::kMet      ? "pass"
                              : part.outcome == CheckPart::kMissed ? "fail"
                                                                   : "not_assessed";
    rows.push_back({{name_of(part, wording)},
                    {word_of(part.outcome).word, "", style},
                    {why_html(part, wording), "", "text"}});
    for (const report::Picture& picture : part.pictures) pictures += report::picture_figure(picture, wording);
  }
  const auto printed = split(check.printed, '\n');
  return text +
         report::table_html({wording.say(msg::heading_asked_for()), wording.say(msg::heading_outcome()),
                             wording.say(msg::heading_why())},
                            rows) +
         pictures + lines_html(wording.say(msg::heading_compiler_warns()), said(check.warnings, wording)) +
         lines_html(wording.say(msg::heading_printed()), {printed.begin(), printed.end()});
}

std::string named_command(const std::string& what, const std::string& command, const ScreenStyle& style) {
  const std::string line = fmt::format("{}  {}\n", what, command);
  const bool fits = report::columns_of(line) <= static_cast<std::size_t>(style.width) + 1;
  return !style.is_terminal || fits ? line : what + "\n" + command_lines(command, kWordColumn, style);
}

std::string hints_text(const Exercise& exercise, std::size_t shown, const ScreenStyle& style) {
  std::string text = title_of(exercise, style);
  for (std::size_t i = 0; i < std::min(shown, kHints); ++i)
    text += "\n" + indented(style.wording.say(msg::hint_shown(i + 1, kHints, exercise.hints[i])), kWordColumn,
                            style);
  return text;
}

std::string course_text(std::span<const Exercise> course, const Workspace& workspace, const Exercise* current,
                        const ScreenStyle& style) {
  std::size_t name_width = 0, needed_width = 0, title_width = 0;
  for (const Exercise& exercise : course) {
    name_width = std::max(name_width, report::columns_of(exercise.name));
    needed_width = std::max(needed_width, report::columns_of(effort_needed(exercise, style.wording)));
    title_width = std::max(title_width, report::columns_of(exercise.title));
  }
  std::string text, lab;
  for (const Exercise& exercise : course) {
    if (exercise.lab != lab) text += inked(lab = exercise.lab, Ink::kHeading, style.colour) + "\n";
    const Mark mark = mark_of(exercise, workspace);
    const bool is_current = current && current->name == exercise.name;
    const std::string marked =
        fmt::format("{} {} ", is_current ? ">" : " ", inked(mark.text, mark.ink, style.colour));
    const std::string effort = effort_of(exercise, workspace, style.wording);
    const auto line_with = [&](std::size_t width_of_title) {
      std::string line = fmt::format("{}{}  {}  {}  {}", marked, report::padded(exercise.name, name_width),
                                     report::padded(effort_needed(exercise, style.wording), needed_width),
                                     report::padded(exercise.title, width_of_title), effort);
      line.erase(line.find_last_not_of(' ') + 1);
      return line;
    };
    std::string line = line_with(title_width);
    if (folded(line, style) != line) line = line_with(0);
    text += folded(line, style) == line ? line + "\n" : marked + stacked(exercise, effort, style);
  }
  return text;
}

namespace {

std::string row_of(const Standing& standing, std::size_t title_width, const Wording& wording) {
  std::vector<std::string> parts;
  if (standing.mistakes > 0) parts.push_back(wording.say(msg::effort_mistakes(standing.mistakes)));
  if (standing.hints > 0) parts.push_back(wording.say(msg::effort_hints(standing.hints)));
  if (standing.weak_in) parts.push_back(wording.say(msg::concept_to_practise()));
  std::string row =
      fmt::format("  {}  {}  {}", report::padded(wording.text(standing.about->title), title_width),
                  wording.say(msg::concept_passed(standing.passed, standing.exercises)), joined(parts));
  row.erase(row.find_last_not_of(' ') + 1);
  return row + "\n";
}

}  // namespace

std::string standings_text(std::span<const Standing> standings, const ScreenStyle& style) {
  const Wording& wording = style.wording;
  std::size_t title_width = 0;
  std::vector<std::string> others;
  for (const Standing& standing : standings) {
    const std::string title = wording.text(standing.about->title);
    if (standing.is_begun || standing.mistakes > 0)
      title_width = std::max(title_width, report::columns_of(title));
    else
      others.push_back(title);
  }
  std::string text;
  for (const Standing& standing : standings)
    if (standing.is_begun || standing.mistakes > 0)
      text += folded(row_of(standing, title_width, wording), style);
  if (!text.empty())
    text = inked(wording.say(msg::heading_concepts()), Ink::kHeading, style.colour) + "\n" + text;
  if (text.empty() || others.empty()) return text;
  return text + indented(wording.say(msg::concepts_to_come(joined(others))), kWordColumn, style);
}

std::string reason_text(const NextStep& step, const Workspace& workspace, const ScreenStyle& style) {
  const Wording& wording = style.wording;
  const auto sentence = [&](const Message& message) { return indented(wording.say(message), 0, style); };
  switch (step.why) {
    case NextStep::kContinue: {
      const Progress& progress = workspace.exercises.at(step.exercise->name);
      constexpr int kManyChecks = 4;
      if (progress.checks < kManyChecks) return "";
      return sentence(progress.hints < kHints ? msg::next_take_hint(progress.checks)
                                              : msg::next_walk_again(progress.checks, step.exercise->lab));
    }
    case NextStep::kPractise: {
      const Standing& weak = *step.practises;
      return sentence(
          msg::next_practises(Message::of_course(weak.about->title), weak.weak_in->name, weak.trouble));
    }
    case NextStep::kInOrder:
      return step.is_first_of_lab ? sentence(msg::next_walk_first(step.exercise->lab)) : "";
    case NextStep::kAllDone: break;
  }
  return "";
}

std::string path_line(std::span<const Exercise> course, const Workspace& workspace, const Wording& wording) {
  if (!workspace.path) return "";
  const std::vector<PathWeek>& weeks = workspace.path->weeks;
  const auto week = std::ranges::find_if(weeks, [&](const PathWeek& one) {
    return std::ranges::any_of(one.exercises, [&](const std::string& name) {
      const Exercise* exercise = find_exercise(course, name);
      return exercise && is_open(workspace, *exercise);
    });
  });
  if (week == weeks.end()) return "";
  return wording.say(msg::path_week(workspace.path->name, week - weeks.begin() + 1, weeks.size(),
                                    Message::of_course(week->title)));
}

std::string progress_line(std::span<const Exercise> course, const Workspace& workspace,
                          const Wording& wording) {
  std::vector<Exercise> of_path;
  if (workspace.path) {
    for (const std::string& name : exercises_of(*workspace.path))
      if (const Exercise* exercise = find_exercise(course, name)) of_path.push_back(*exercise);
    course = of_path;
  }
  std::size_t passed = 0, given_up = 0;
  for (const Exercise& exercise : course) {
    const auto found = workspace.exercises.find(exercise.name);
    if (found == workspace.exercises.end()) continue;
    passed += !found->second.passed.empty();
    given_up += found->second.passed.empty() && !found->second.gave_up.empty();
  }
  if (given_up == 0) return wording.say(msg::exercises_passed(passed, course.size()));
  return wording.say(msg::exercises_passed_given_up(passed, course.size(), given_up));
}

}  // namespace cudalab::course

// Writes grades as HTML pages: an overview of the class with its frequent mistakes, and one page per student.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "grading/book/totals.h"
#include "grading/formats.h"
#include "grading/submission.h"
#include "messages/grading.h"
#include "report/page/document.h"
#include "report/pictures/renderers.h"
#include "report/text/values.h"

namespace cudalab::grading {
namespace {

constexpr std::size_t kLongestMistake = 200;
using Key = std::tuple<CommonMistake::Kind, std::string, std::string>;

constexpr std::array<std::string_view, 3> kKinds{"criterion", "hazard", "problem"};
constexpr std::array<std::string_view, 3> kTitles{"Criteria missed", "Hazards", "Could not be graded"};

// Numbers differ between files ("at byte 17"): only the text before the first number identifies the kind.
std::string kind_of_problem(const std::string& problem) {
  std::string kind = problem.substr(0, problem.find_first_of("0123456789"));
  std::size_t open = kind.rfind('(');
  if (open != std::string::npos && kind.find(')', open) == std::string::npos) kind.resize(open);
  kind.resize(kind.find_last_not_of(" :") + 1);
  return kind.empty() ? problem : kind;
}

struct Counting {
  std::map<Key, CommonMistake> found;
  std::map<std::string, std::size_t> handed_in;  // submissions by lab

  void add(CommonMistake::Kind kind, const Grade& grade, const std::string& name,
           const std::string& example) {
    CommonMistake& mistake = found[{kind, grade.lab, name}];
    if (mistake.students++ == 0) mistake = {kind, grade.lab, name, 1, 0, example};
  }

  void add(const Grade& grade) {
    ++handed_in[grade.lab];
    if (!grade.problem.empty())
      add(CommonMistake::kProblem, grade, kind_of_problem(grade.problem), grade.problem);
    for (const std::string& hazard : grade.hazards) add(CommonMistake::kHazard, grade, hazard, "");
    if (!grade.problem.empty()) return;
    for (const Mark& mark : grade.marks)
      if (mark.outcome != course::Assessment::kMet)
        add(CommonMistake::kCriterion, grade, mark.name, mark.sentence);
  }
};

std::string line_for(const CommonMistake& mistake) {
  std::string lab = mistake.lab.empty() ? "" : mistake.lab + ": ";
  return fmt::format("  {:>4} of {:<4} {}{}\n", mistake.students, mistake.of, lab,
                     harmless_line(mistake.name, kLongestMistake));
}

}  // namespace

std::vector<CommonMistake> common_mistakes(std::span<const Grade> grades) {
  Counting counting;
  for (const Grade& grade : grades) counting.add(grade);
  std::vector<CommonMistake> mistakes;
  for (auto& [key, mistake] : counting.found) {
    mistake.of = counting.handed_in[mistake.lab];
    mistakes.push_back(mistake);
  }
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const CommonMistake& one, const CommonMistake& other) {
                     return std::tuple(one.kind, other.students) < std::tuple(other.kind, one.students);
                   });
  return mistakes;
}

std::string mistakes_text(std::span<const CommonMistake> mistakes, std::size_t submissions, int width) {
  std::string text = counted(static_cast<double>(submissions), "submission") + "\n";
  if (mistakes.empty()) return text + "Nobody missed anything.\n";
  std::optional<CommonMistake::Kind> last;
  for (const CommonMistake& mistake : mistakes) {
    if (last != mistake.kind) text += fmt::format("\n{}\n", kTitles.at(mistake.kind));
    last = mistake.kind;
    text += line_for(mistake);
    if (!mistake.example.empty() && mistake.example != mistake.name)
      text += fmt::format("               {}\n",
                          harmless_line(mistake.example, static_cast<std::size_t>(std::max(30, width - 18))));
  }
  return text;
}

std::string mistakes_csv(std::span<const CommonMistake> mistakes) {
  std::string text = "kind,lab,name,students,of,example\r\n";
  for (const CommonMistake& mistake : mistakes)
    text += fmt::format("{},{},{},{},{},{}\r\n", kKinds.at(mistake.kind), csv_cell(mistake.lab),
                        csv_cell(mistake.name), mistake.students, mistake.of, csv_cell(mistake.example));
  return text;
}

namespace {

using course::Assessment;
using report::Bars;
using report::PageCell;
using report::Picture;
using report::Tone;

double share_of(const Grade& grade) { return grade.most() > 0 ? grade.points() / grade.most() : 0; }

PageCell points_cell(double points) { return {points_text(points), fmt::format("{}", points)}; }

const PageCell kNoMark{"-", "-1"};

PageCell points_cell(const Grade* grade) {
  return grade && !grade->is_undecided ? points_cell(grade->points()) : kNoMark;
}

std::string outcome_text(Assessment::Outcome outcome) {
  switch (outcome) {
    case Assessment::kMet: return "met";
    case Assessment::kMissed: return "missed";
    case Assessment::kNotAssessed: return "not assessed";
  }
  return "";
}

std::string style_of_outcome(Assessment::Outcome outcome) {
  return outcome == Assessment::kMet ? "pass" : outcome == Assessment::kMissed ? "fail" : "not_assessed";
}

// ---- the class -----------------------------------------------------------------------------------------

// The number of grades in each tenth of the points.
Picture histogram_of(std::span<const Grade> grades) {
  constexpr std::size_t kBins = 10;
  std::vector<std::size_t> counts(kBins + 1);  // the last bin: all points
  for (const Grade& grade : grades)
    if (!grade.is_undecided)
      ++counts[static_cast<std::size_t>(std::floor(std::clamp(share_of(grade), 0.0, 1.0) * kBins))];
  Bars bars;
  for (std::size_t bin = 0; bin <= kBins; ++bin) {
    bars.bars.push_back(
        {bin == kBins ? msg::bar_all_points() : msg::bar_share_range(bin * kBins, (bin + 1) * kBins),
         {{static_cast<double>(counts[bin]), bin == kBins ? Tone::kGood : Tone::kFirst, '#'}},
         Message::verbatim(std::to_string(counts[bin]))});
  }
  return {"points", msg::picture_submissions_by_points(), {}, {}, std::move(bars)};
}

struct Tried {
  std::size_t met = 0, of = 0;
};

// The fraction of submissions that met each criterion, by lab or exercise.
Picture criteria_of(std::span<const Grade> grades) {
  std::map<std::pair<std::string, std::string>, Tried> tried;
  for (const Grade& grade : grades) {
    if (!grade.problem.empty()) continue;
    for (const Mark& mark : grade.marks) {
      Tried& here = tried[{grade.work(), mark.name}];
      ++here.of;
      here.met += mark.outcome == Assessment::kMet;
    }
  }
  Bars bars{{}, 1};
  for (const auto& [name, here] : tried) {
    const double met = static_cast<double>(here.met) / static_cast<double>(here.of);
    bars.bars.push_back({Message::verbatim(fmt::format("{}: {}", name.first, name.second)),
                         {{met, Tone::kGood, '#'}, {1 - met, Tone::kBad, '.'}},
                         msg::bar_part_of(here.met, here.of)});
  }
  return {"criteria",
          msg::picture_criteria(),
          {},
          {{"#", Tone::kGood, msg::legend_met()}, {".", Tone::kBad, msg::legend_missed_or_not_assessed()}},
          std::move(bars)};
}

std::string table_of_class(std::span<const Grade> grades) {
  std::vector<std::vector<PageCell>> rows;
  for (const Grade& grade : grades)
    rows.push_back({{owner_of(grade)},
                    {grade.work()},
                    points_cell(&grade),
                    points_cell(grade.at_stake()),
                    {grade.problem.empty() ? grade.feedback("; ") : grade.problem_in_words(), "", "text"},
                    {joined(grade.flags, "; "), "", "text"}});
  return report::table_html({"student", "work", "points", "of", "what is missing", "to look at"}, rows);
}

// The two places of each pair, side by side.
std::string likeness_of(std::span<const Grade> grades) {
  std::string text;
  for (const Grade& grade : grades)
    for (const Alike& alike : grade.alike)
      text += fmt::format(
          "<h3>{}: {:.0f} % like "
          "{}</h3>\n<table><tr><td><pre>{}</pre></td><td><pre>{}</pre></td></tr></table>\n",
          report::html(grade.file), 100 * alike.share, report::html(alike.with), report::html(alike.text),
          report::html(alike.other_text));
  return text.empty() ? "<p>No kernel is like another one.</p>\n" : text;
}

std::string table_of_totals(const Totals& totals) {
  std::vector<std::string> heading{"student", "points", "of"};
  heading.insert(heading.end(), totals.works.begin(), totals.works.end());
  std::vector<std::vector<PageCell>> rows;
  for (const StudentTotal& student : totals.students) {
    const PageCell total = student.undecided.empty() ? points_cell(student.points) : kNoMark;
    rows.push_back({{student.student}, total, points_cell(student.at_stake)});
    for (const Grade* grade : student.counting) rows.back().push_back(points_cell(grade));
  }
  return report::table_html(heading, rows);
}

std::string table_of_mistakes(std::span<const Grade> grades) {
  std::vector<std::vector<PageCell>> rows;
  for (const CommonMistake& mistake : common_mistakes(grades)) {
    const double share =
        mistake.of ? 100.0 * static_cast<double>(mistake.students) / static_cast<double>(mistake.of) : 0;
    rows.push_back({{mistake.name},
                    {mistake.lab},
                    {fmt::format("{} of {}", mistake.students, mistake.of), std::to_string(mistake.students)},
                    {report::percent(share), fmt::format("{}", share)},
                    {mistake.example, "", "text"}});
  }
  if (rows.empty()) return "<p>Nobody missed anything.</p>\n";
  return report::table_html({"mistake", "work", "submissions", "share", "for example"}, rows);
}

// ---- a student -----------------------------------------------------------------------------------------

std::string changes_of(const Grade& grade) {
  std::string text;
  for (const std::string& sentence : words_on_changes(grade))
    text += fmt::format("<p>{}</p>\n", report::html(without_folders(sentence)));
  return grade.counts ? text : text + "<p>Another attempt counts.</p>\n";
}

std::string body_of(const Grade& grade) {
  std::string text = fmt::format("<p><strong>{} of {} points</strong></p>\n", points_text(grade, "-"),
                                 points_text(grade.at_stake()));
  if (!grade.problem.empty())
    return text +
           fmt::format("<p class=\"hazard\">{}</p>\n",
                       report::html(without_folders(grade.problem_in_words()))) +
           changes_of(grade);
  std::vector<std::vector<PageCell>> rows;
  Bars bars;
  for (const Mark& mark : grade.marks) {
    rows.push_back({{mark.name},
                    points_cell(mark.points),
                    points_cell(mark.most),
                    {outcome_text(mark.outcome), "", style_of_outcome(mark.outcome)},
                    {without_folders(mark.sentence), "", "text"}});
    bars.bars.push_back({Message::verbatim(mark.name),
                         {{mark.points, Tone::kGood, '#'}, {mark.most - mark.points, Tone::kBad, '.'}},
                         msg::bar_part_of(points_text(mark.points), points_text(mark.most))});
  }
  text += report::table_html({"criterion", "points", "of", "outcome", "what was found"}, rows) +
          changes_of(grade);
  if (!grade.hazards.empty())
    text += fmt::format("<p>Hazards: {}.</p>\n", report::html(joined(grade.hazards, ", ")));
  return text + (bars.bars.empty()
                     ? ""
                     : report::picture_figure({"points", msg::picture_points(), {}, {}, std::move(bars)}));
}

// Only includes works that the student submitted: the page has no data on others.
std::string facts_of(const Totals& totals) {
  double points = 0, most = 0;
  for (const StudentTotal& student : totals.students) {
    points += student.points;
    most += student.most;
  }
  return fmt::format("<p class=\"facts\">{} of {} points in what was handed in</p>\n", points_text(points),
                     points_text(most));
}

}  // namespace

std::string owner_of(const Grade& grade) {
  return grade.student.empty() ? std::filesystem::path(grade.file).filename().string() : grade.student;
}

std::string class_page(std::span<const Grade> grades, std::span<const std::string> expected) {
  double points = 0, most = 0;
  for (const Grade& grade : grades) {
    points += grade.points();
    most += grade.most();
  }
  report::Page page{"The class at a glance",
                    fmt::format("<p class=\"facts\">{}, {} of all points</p>\n",
                                counted(static_cast<double>(grades.size()), "submission"),
                                report::percent(most > 0 ? 100 * points / most : 0)),
                    {}};
  page.sections = {{"points", "Points", report::picture_figure(histogram_of(grades))},
                   {"criteria", "Criteria", report::picture_figure(criteria_of(grades))},
                   {"mistakes", "Misconceptions", table_of_mistakes(grades)},
                   {"totals", "Totals", table_of_totals(totals_of(grades, expected))},
                   {"submissions", "Submissions", table_of_class(grades)},
                   {"likeness", "Likeness", likeness_of(grades)}};
  return report::page_html(page);
}

std::string student_page(const std::string& student, std::span<const Grade> grades) {
  const Totals totals = totals_of(grades);
  report::Page page{student, facts_of(totals), {}};
  for (std::size_t i = 0; i < grades.size(); ++i) {
    const std::string work = grades[i].work();
    page.sections.push_back(
        {fmt::format("work-{}", i + 1), work.empty() ? "Not graded" : work, body_of(grades[i])});
  }
  return report::page_html(page);
}

}  // namespace cudalab::grading

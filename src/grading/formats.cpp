// Writes grades in the formats of other systems.
#include "grading/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "grading/book/totals.h"
#include "grading/identity.h"
#include "grading/submission.h"
#include "report/pictures/renderers.h"
#include "report/text/layout.h"
#include "report/tool.h"

namespace cudalab::grading {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string dumped(const OrderedJson& json) {
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

double rounded(double points) { return std::round(points * 1000) / 1000; }

bool is_met(const Mark& mark) { return mark.outcome == course::Assessment::kMet; }

// ---- table ------------------------------------------------------------------------------------------

std::string marks_in_short(const Grade& grade) {
  if (grade.is_undecided) return grade.problem + ": no mark yet";
  if (!grade.problem.empty()) return grade.problem;
  std::string missed;
  for (const Mark& mark : grade.marks)
    if (!is_met(mark)) missed += (missed.empty() ? "" : "; ") + mark.name;
  return missed.empty() ? (grade.flags.empty() ? "all criteria met" : "all criteria met; see the flags")
                        : "missed: " + missed;
}

std::string remark(const Grade& grade) {
  std::string text = marks_in_short(grade);
  for (const Adjustment& one : grade.adjustments)
    text += fmt::format("; {}: {}{}", one.name, one.points > 0 ? "+" : "", points_text(one.points));
  return grade.counts ? text : text + "; another attempt counts";
}

report::Ink ink_for(const Grade& grade) {
  if (grade.is_undecided) return report::Ink::kUnsure;
  if (!grade.problem.empty() || grade.points() == 0) return report::Ink::kBad;
  return grade.is_full() ? report::Ink::kGood : report::Ink::kUnsure;
}

std::vector<report::Column> columns(std::span<const Grade> grades) {
  std::vector<report::Column> columns{{.heading = {"student"}, .left = true, .importance = 3},
                                      {.heading = {"lab"}, .left = true, .importance = 1},
                                      {.heading = {"points"}, .importance = 4},
                                      {.heading = {"of"}, .importance = 4}};
  for (const Grade& grade : grades) {
    columns[0].cells.push_back(harmless_line(grade.student, 24));
    columns[1].cells.push_back(harmless_line(grade.work(), 24));
    columns[2].cells.push_back(points_text(grade, "-"));
    columns[2].inks.push_back(ink_for(grade));
    columns[3].cells.push_back(points_text(grade.at_stake()));
  }
  return columns;
}

report::Column remarks(std::span<const Grade> grades, int width) {
  report::Column column{.heading = {"remarks"}, .left = true, .importance = 2};
  auto room = static_cast<std::size_t>(std::max(20, width - 55));
  for (const Grade& grade : grades) column.cells.push_back(harmless_line(remark(grade), room));
  return column;
}

std::string changes_text(std::span<const Grade> grades, const ClassFacts& facts) {
  std::string text;
  for (const Grade& grade : grades)
    if (grade.earlier && !grade.earlier->differences.empty())
      text +=
          fmt::format("  {}: {}: {}\n", harmless_line(grade.student, 100), harmless_line(grade.work(), 40),
                      harmless_line(words_on_changes(grade).back(), 1000));
  for (const Grade& gone : facts.gone)
    text += fmt::format("  {}: {}: {} of {} points before, and nothing is handed in now\n",
                        harmless_line(gone.student, 100), harmless_line(gone.work(), 40),
                        points_text(gone.points()), points_text(gone.most()));
  return text.empty() ? "" : "\nChanged since the earlier run:\n" + text;
}

// ---- totals -----------------------------------------------------------------------------------------

// Totals repeat the grades if there is one work and every student has one submission.
bool are_worth_a_table(const Totals& totals, std::size_t submissions) {
  return totals.works.size() > 1 || totals.students.size() != submissions;
}

std::string remark(const Totals& totals, const StudentTotal& student) {
  std::vector<std::string> missing, remarks;
  for (std::size_t work = 0; work < totals.works.size(); ++work)
    if (!student.counting[work]) missing.push_back(totals.works[work]);
  if (!missing.empty()) remarks.push_back("nothing for " + joined(missing));
  if (!student.undecided.empty()) remarks.push_back("not verified: " + joined(student.undecided));
  return joined(remarks, "; ");
}

std::string totals_table(const Totals& totals, const TableStyle& style) {
  std::vector<report::Column> columns{{.heading = {"student"}, .left = true, .importance = 3},
                                      {.heading = {"total"}, .importance = 4},
                                      {.heading = {"of"}, .importance = 4},
                                      {.heading = {"remarks"}, .left = true, .importance = 2}};
  const auto room = static_cast<std::size_t>(std::max(20, style.width - 45));
  for (const StudentTotal& student : totals.students) {
    columns[0].cells.push_back(harmless_line(student.student, 24));
    columns[1].cells.push_back(student.points_in_words("-"));
    columns[2].cells.push_back(points_text(student.at_stake));
    columns[3].cells.push_back(harmless_line(remark(totals, student), room));
  }
  return "\n" + report::lay_out(std::move(columns), report::Rule::kBelowHeading,
                                static_cast<std::size_t>(style.width), style.colour);
}

// Totals by student.
std::map<std::string, const StudentTotal*> by_name(const Totals& totals) {
  std::map<std::string, const StudentTotal*> all;
  for (const StudentTotal& student : totals.students) all[student.student] = &student;
  return all;
}

OrderedJson to_json(const StudentTotal& student, const Totals& totals) {
  OrderedJson works = OrderedJson::array();
  for (std::size_t work = 0; work < totals.works.size(); ++work) {
    const Grade* grade = student.counting[work];
    works.push_back({{"work", totals.works[work]},
                     {"points", grade ? grade->points() : 0},
                     {"most", grade ? grade->most() : totals.most[work]},
                     {"file", grade ? grade->file : ""}});
  }
  OrderedJson text{{"student", student.student},
                   {"points", student.points},
                   {"most", student.most},
                   {"works", std::move(works)}};
  if (!student.undecided.empty()) text["not_verified"] = student.undecided;
  return text;
}

constexpr std::size_t kMostShown = 20;

std::string like_the_solution(std::span<const Grade> grades) {
  std::string text;
  std::size_t count = 0;
  for (const Grade& grade : grades)
    for (const Alike& alike : grade.alike)
      if (alike.with == kSolution && ++count <= kMostShown)
        text +=
            fmt::format("  {}: {}: {}\n", harmless_line(grade.student, 100), grade.exercise, words_on(alike));
  if (count == 0) return "";
  if (count > kMostShown) text += fmt::format("  and {} more\n", count - kMostShown);
  return "\nSimilar to the course's solution, as short honest work may be (--html shows both passages):\n" +
         text;
}

std::string flags_text(std::span<const Grade> grades) {
  std::string text;
  for (const Grade& grade : grades)
    for (const std::string& flag : grade.flags)
      text +=
          fmt::format("  {}: {}\n", harmless_line(grade.student, kLongestName), harmless_line(flag, 1000));
  return text.empty() ? "" : "\nFlags:\n" + text;
}

std::string points_summary(std::span<const Grade> grades) {
  double points = 0, most = 0;
  std::size_t full = 0, problems = 0, undecided = 0;
  for (const Grade& grade : grades) {
    points += grade.points();
    most += grade.most();
    full += grade.is_full();
    undecided += grade.is_undecided;
    problems += !grade.problem.empty() && !grade.is_undecided;
  }
  return fmt::format("\n{}: {} with full points, {} could not be graded{}; {} of {} points in total.\n",
                     counted(static_cast<double>(grades.size()), "submission"), full, problems,
                     undecided ? fmt::format(", {} not graded yet", undecided) : "", points_text(points),
                     points_text(most));
}

// ---- platforms --------------------------------------------------------------------------------------

OrderedJson gradescope_test(const Mark& mark, std::size_t number) {
  return {{"score", rounded(mark.points)},
          {"max_score", rounded(mark.most)},
          {"status", is_met(mark) ? "passed" : "failed"},
          {"name", mark.name},
          {"name_format", "text"},
          {"number", std::to_string(number)},
          {"output", without_folders(mark.sentence)},
          {"output_format", "text"},
          {"visibility", "visible"}};
}

// Adjustments appear as tests, so the tests add up to the score.
OrderedJson gradescope_test(const Adjustment& one, std::size_t number) {
  return gradescope_test(
      Mark{one.name, one.points, 0, one.points < 0 ? course::Assessment::kMissed : course::Assessment::kMet,
           one.reason},
      number);
}

OrderedJson classroom_test(const Mark& mark) {
  return {{"name", mark.name},
          {"status", is_met(mark) ? "pass" : "fail"},
          {"score", rounded(mark.points)},
          {"message", is_met(mark) ? OrderedJson(nullptr) : OrderedJson(without_folders(mark.sentence))},
          {"test_code", ""},
          {"filename", ""},
          {"line_no", 0},
          {"execution_time", 0}};
}

OrderedJson classroom_test(const Adjustment& one) {
  OrderedJson test = classroom_test(
      Mark{one.name, one.points, 0, one.points < 0 ? course::Assessment::kMissed : course::Assessment::kMet});
  test["message"] = one.reason;
  return test;
}

// ---- JUnit ------------------------------------------------------------------------------------------

std::string xml(std::string_view text) { return report::html(harmless_line(text, 4000)); }

std::string end_of_testcase(const Grade& grade, const Mark& mark) {
  if (grade.is_undecided) return ">\n      <skipped/>\n    </testcase>\n";
  if (is_met(mark)) return "/>\n";
  return fmt::format(
      ">\n      <failure type=\"criterion\" message=\"{}\">{} of {} points</failure>\n    </testcase>\n",
      xml(without_folders(mark.sentence)), points_text(mark.points), points_text(mark.most));
}

std::string testcase(const Grade& grade, const Mark& mark) {
  std::string place = grade.lab.empty() ? "cudalab" : "cudalab." + grade.lab;
  return fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"{}", xml(mark.name), xml(place),
                     end_of_testcase(grade, mark));
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml(value));
}

std::string adjustments_as_properties(const Grade& grade) {
  std::string text;
  for (const Adjustment& one : grade.adjustments)
    text += property(one.name, fmt::format("{}: {}", points_text(one.points), one.reason));
  return text;
}

std::string flags_as_lines(const Grade& grade) {
  std::string text;
  for (const std::string& flag : grade.flags) text += xml(flag) + "\n";
  return text;
}

std::string suite(const Grade& grade, std::size_t id, std::string_view timestamp) {
  const auto unmet =
      std::count_if(grade.marks.begin(), grade.marks.end(), [](const Mark& mark) { return !is_met(mark); });
  const auto skipped = grade.is_undecided ? unmet : 0;
  std::string name = grade.student.empty() ? "unknown" : xml(grade.student);
  std::string text = fmt::format(
      "  <testsuite package=\"cudalab\" id=\"{}\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" "
      "tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n",
      id, name, timestamp, grade.marks.size(), unmet - skipped, skipped, grade.seconds);
  text += "    <properties>\n" + property("points", points_text(grade, "")) +
          property("maximum", points_text(grade.at_stake())) + property("file", grade.file) +
          adjustments_as_properties(grade) + "    </properties>\n";
  for (const Mark& mark : grade.marks) text += testcase(grade, mark);
  return text +
         fmt::format("    <system-out>{}</system-out>\n    <system-err></system-err>\n  </testsuite>\n",
                     flags_as_lines(grade));
}

}  // namespace

std::string table_text(std::span<const Grade> grades, const TableStyle& style, const ClassFacts& facts) {
  std::vector<report::Column> all = columns(grades);
  all.push_back(remarks(grades, style.width));
  const Totals totals = totals_of(grades, facts.expected);
  return report::lay_out(std::move(all), report::Rule::kBelowHeading, static_cast<std::size_t>(style.width),
                         style.colour) +
         (are_worth_a_table(totals, grades.size()) ? totals_table(totals, style) : "") +
         changes_text(grades, facts) + like_the_solution(grades) + flags_text(grades) +
         points_summary(grades);
}

std::string csv_cell(std::string_view text) {
  std::string cell = harmless_line(text, 4000);
  if (!cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos)
    cell.insert(0, "'");
  if (cell.find_first_of("\",\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (char letter : cell) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_text(std::span<const Grade> grades) {
  const Totals totals = totals_of(grades);
  const auto total_of = by_name(totals);
  std::string text = "identifier,points,maximum,feedback,lab,file,flags,counts,total,total_maximum\r\n";
  for (const Grade& grade : grades) {
    const StudentTotal& total = *total_of.at(grade.student);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\r\n", csv_cell(grade.student), points_text(grade, ""),
                        points_text(grade.at_stake()), csv_cell(grade.feedback(" | ")), csv_cell(grade.lab),
                        csv_cell(grade.file), csv_cell(joined(grade.flags, " | ")),
                        grade.counts ? "yes" : "no", total.points_in_words(""), points_text(total.at_stake));
  }
  return text;
}

std::string totals_text(std::span<const Grade> grades, std::span<const std::string> expected) {
  const Totals totals = totals_of(grades, expected);
  std::string text = "identifier,points,maximum";
  for (const std::string& work : totals.works) text += "," + csv_cell(work);
  text += "\r\n";
  for (const StudentTotal& student : totals.students) {
    text += fmt::format("{},{},{}", csv_cell(student.student), student.points_in_words(""),
                        points_text(student.at_stake));
    for (const Grade* grade : student.counting) text += "," + (grade ? points_text(*grade, "") : "");
    text += "\r\n";
  }
  return text;
}

std::string json_text(std::span<const Grade> grades, const ClassFacts& facts) {
  report::Tool tool = report::this_tool();
  OrderedJson document{{"schema", kGradesSchema},
                       {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
                       {"seed", facts.seed},
                       {"grades", OrderedJson::array()}};
  for (const Grade& grade : grades) document["grades"].push_back(to_json(grade));
  const Totals totals = totals_of(grades, facts.expected);
  for (const StudentTotal& student : totals.students) document["totals"].push_back(to_json(student, totals));
  for (const Grade& gone : facts.gone) document["gone"].push_back(to_json(gone));
  return dumped(document);
}

std::string gradescope_text(const Grade& grade) {
  OrderedJson tests = OrderedJson::array();
  for (const Mark& mark : grade.marks) tests.push_back(gradescope_test(mark, tests.size() + 1));
  for (const Adjustment& one : grade.adjustments) tests.push_back(gradescope_test(one, tests.size() + 1));
  // Flags go into extra_data, which Gradescope stores with the submission and does not show to students.
  OrderedJson document{
      {"score", rounded(grade.points())},
      {"execution_time", rounded(grade.seconds)},
      {"output", grade.problem.empty() ? "graded by cudalab" : without_folders(grade.problem_in_words())},
      {"output_format", "text"},
      {"visibility", "visible"},
      {"stdout_visibility", "hidden"},
      {"extra_data", {{"lab", grade.lab}, {"content", grade.content}, {"flags", grade.flags}}},
      {"tests", tests}};
  if (grade.is_undecided) {  // a document without a score gives no grade
    document.erase("score");
    document["tests"] = OrderedJson::array();
  }
  return dumped(document);
}

namespace {

// With a maximum of 0 points, the reporter posts no grade.
std::string classroom_text_without_mark(const Grade& grade) {
  OrderedJson test = classroom_test(Mark{.name = "not verified", .sentence = grade.problem_in_words()});
  test["status"] = "error";
  return dumped({{"version", 1}, {"status", "error"}, {"max_score", 0}, {"tests", {std::move(test)}}});
}

}  // namespace

std::string classroom_text(const Grade& grade) {
  if (grade.is_undecided) return classroom_text_without_mark(grade);
  OrderedJson tests = OrderedJson::array();
  for (const Mark& mark : grade.marks) tests.push_back(classroom_test(mark));
  for (const Adjustment& one : grade.adjustments) tests.push_back(classroom_test(one));
  std::string_view failed = grade.problem.empty() ? "fail" : "error";
  return dumped({{"version", 1},
                 {"status", grade.points() >= grade.most() && grade.problem.empty() ? "pass" : failed},
                 {"max_score", rounded(grade.most())},
                 {"tests", tests}});
}

std::string junit_text(std::span<const Grade> grades, std::string_view timestamp) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t i = 0; i < grades.size(); ++i) text += suite(grades[i], i, timestamp);
  return text + "</testsuites>\n";
}

}  // namespace cudalab::grading

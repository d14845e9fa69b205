// Groups what was missed.
#include "grading/class_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "core/text.h"
#include "grading/formats.h"
#include "grading/submission.h"

namespace cudalab::grading {
namespace {

constexpr std::size_t kLongestMistake = 200;
using Key = std::tuple<CommonMistake::Kind, std::string, std::string>;

constexpr std::array<std::string_view, 3> kKinds{"criterion", "hazard", "problem"};
constexpr std::array<std::string_view, 3> kTitles{"Criteria missed", "Hazards", "Could not be graded"};

// Numbers differ from file to file ("at byte 17"): up to the first one, the reasons are the same.
std::string kind_of_problem(const std::string& problem) {
  std::string kind = problem.substr(0, problem.find_first_of("0123456789"));
  std::size_t open = kind.rfind('(');
  if (open != std::string::npos && kind.find(')', open) == std::string::npos) kind.resize(open);
  kind.resize(kind.find_last_not_of(" :") + 1);
  return kind.empty() ? problem : kind;
}

struct Counting {
  std::map<Key, CommonMistake> found;
  std::map<std::string, std::size_t> handed_in;  // by lab

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

}  // namespace cudalab::grading

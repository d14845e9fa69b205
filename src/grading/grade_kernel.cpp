// Turns an exercise's check into marks.
#include "grading/grade_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/digest.h"
#include "core/error.h"
#include "core/text.h"
#include "course/check.h"
#include "course/exercise.h"
#include "course/workspace.h"
#include "grading/safe_compile.h"
#include "lab/locate.h"

namespace cudalab::grading {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHazardPrefix = "hazard: ";

const course::Exercise* exercise_for(const std::vector<course::Exercise>& course, const fs::path& file,
                                     const std::string& name) {
  return name.empty() ? exercise_of_file(course, file) : find_exercise(course, name);
}

// Blanks and line ends make no kernel another one.
std::string without_blanks(std::string_view text) {
  std::string dense;
  for (char letter : text)
    if (!std::isspace(static_cast<unsigned char>(letter))) dense += letter;
  return dense;
}

double weight_of(const course::CheckPart& part, const course::Exercise& exercise) {
  for (const course::ExerciseCriterion& own : exercise.criteria)
    if (own.criterion.name == part.name) return own.criterion.points;
  return 1;
}

course::Assessment::Outcome outcome_of(course::CheckPart::Outcome outcome) {
  if (outcome == course::CheckPart::kMet) return course::Assessment::kMet;
  return outcome == course::CheckPart::kMissed ? course::Assessment::kMissed
                                               : course::Assessment::kNotAssessed;
}

std::string sentence_for(const course::CheckPart& part) {
  if (part.outcome == course::CheckPart::kNotReached)
    return "not judged: what comes before it is not right yet";
  std::string place = part.where ? fmt::format("line {}: ", part.where->line) : "";
  return harmless_line(place + part.sentence, 400);
}

void fill_marks(const course::Exercise& exercise, const course::ExerciseCheck& check, double most,
                Grade& grade) {
  double weights = 0;
  for (const course::CheckPart& part : check.parts) weights += weight_of(part, exercise);
  for (const course::CheckPart& part : check.parts) {
    double worth = most * weight_of(part, exercise) / weights;
    bool met = part.outcome == course::CheckPart::kMet;
    grade.marks.push_back({part.name, met ? worth : 0, worth, outcome_of(part.outcome), sentence_for(part)});
  }
  if (check.rejected_by.starts_with(kHazardPrefix))
    grade.hazards.push_back(check.rejected_by.substr(kHazardPrefix.size()));
}

double points_for(const course::Exercise& exercise, const fs::path& keys, std::size_t parts) {
  std::optional<Rubric> rubric = load_rubric(keys, exercise.lab);
  if (!rubric || !rubric->exercises.contains(exercise.name)) return static_cast<double>(parts);
  return rubric->exercises.at(exercise.name);
}

}  // namespace

void grade_kernel(const fs::path& file, const std::string& text, const GradingRules& rules, Grade& grade) {
  std::vector<course::Exercise> course = course::load_course(lab::labs_directory(), lab::labs());
  const course::Exercise* exercise = exercise_for(course, file, rules.exercise);
  if (exercise == nullptr) {
    grade.problem = "is a kernel, and its name is none of an exercise; say which with --exercise";
    return;
  }
  grade.lab = exercise->lab;
  grade.exercise = exercise->name;
  grade.fingerprint = digest(without_blanks(text));
  SafeMachine safe;
  course::ExerciseCheck check = course::check_exercise(*exercise, *lab::find_lab(exercise->lab), file,
                                                       {.seed = rules.seed}, safe.machine());
  fill_marks(*exercise, check, points_for(*exercise, rules.keys, check.parts.size()), grade);
}

}  // namespace cudalab::grading

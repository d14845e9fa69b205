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

// What a part of a check is worth beside the others.
struct WeighedPart {
  course::CheckPart part;
  double weight = 1;
};
using WeighedParts = std::vector<WeighedPart>;

void fill_marks(const WeighedParts& parts, double most, Grade& grade) {
  double weights = 0;
  for (const WeighedPart& each : parts) weights += each.weight;
  for (const auto& [part, weight] : parts) {
    const double worth = most * weight / weights;
    const bool met = part.outcome == course::CheckPart::kMet;
    grade.marks.push_back({part.name, met ? worth : 0, worth, outcome_of(part.outcome), sentence_for(part)});
  }
}

WeighedParts parts_of_kernel(const course::Exercise& exercise, const course::ExerciseCheck& check) {
  WeighedParts parts;
  for (const course::CheckPart& part : check.parts) parts.push_back({part, weight_of(part, exercise)});
  return parts;
}

void note_hazard(const course::ExerciseCheck& check, Grade& grade) {
  if (check.rejected_by.starts_with(kHazardPrefix))
    grade.hazards.push_back(check.rejected_by.substr(kHazardPrefix.size()));
}

// ---- whole programs ------------------------------------------------------------------------------------

// The program's kernel as the grader's own launches run it, outside of the program: its hazards and its
// results are the interpreter's.
course::Exercise kernel_alone(course::Exercise exercise) {
  exercise.is_program = false;
  exercise.stage = exercise.kernel_stage;
  exercise.criteria.clear();
  return exercise;
}

// A stranger's program may tell anything of itself. Points are for what the grader sees from outside: that it
// compiles, how it ends and what it writes for inputs that nobody knew, and what its kernel does by itself.
WeighedParts parts_of_program(const course::ExerciseCheck& check, const course::ExerciseCheck* kernel) {
  using course::CheckPart;
  constexpr double kNothing = 0;
  WeighedParts parts{{check.parts[0]}};
  CheckPart results{check.parts[2].name, CheckPart::kNotReached};
  if (check.parts[0].outcome == CheckPart::kMet) {
    results.outcome = check.wrong_outside.empty() ? CheckPart::kMet : CheckPart::kMissed;
    results.sentence = check.wrong_outside;
  }
  parts.push_back({results});
  for (std::size_t i = 1; kernel && i < kernel->parts.size(); ++i) {
    parts.push_back({kernel->parts[i]});
    parts.back().part.name = "the kernel alone: " + kernel->parts[i].name;
  }
  for (std::size_t i = 1; i < check.parts.size(); ++i) {
    if (i == 2) continue;
    parts.push_back({check.parts[i], kNothing});
    CheckPart& told = parts.back().part;
    told.name = "as the program tells: " + told.name;
  }
  return parts;
}

double points_for(const course::Exercise& exercise, const fs::path& keys, std::ptrdiff_t parts) {
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
  const auto checked = [&](const course::Exercise& as) {
    return course::check_exercise(as, *lab::find_lab(exercise->lab), file, {.seed = rules.seed},
                                  safe.machine());
  };
  const course::ExerciseCheck check = checked(*exercise);
  std::optional<course::ExerciseCheck> kernel;
  if (!exercise->kernel_stage.empty()) kernel = checked(kernel_alone(*exercise));
  const WeighedParts parts = exercise->is_program ? parts_of_program(check, kernel ? &*kernel : nullptr)
                                                  : parts_of_kernel(*exercise, check);
  const auto earns = [](const WeighedPart& each) { return each.weight > 0; };
  fill_marks(parts, points_for(*exercise, rules.keys, std::count_if(parts.begin(), parts.end(), earns)),
             grade);
  note_hazard(kernel ? *kernel : check, grade);
}

}  // namespace cudalab::grading

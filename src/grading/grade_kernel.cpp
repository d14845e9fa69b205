// Converts an exercise's check into marks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "course/check.h"
#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "grading/grade_file.h"
#include "grading/likeness.h"
#include "grading/safe_compile.h"
#include "lab/locate.h"
#include "messages/grading.h"

namespace cudalab::grading {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHazardPrefix = "hazard: ", kRightResults = "right results",
                           kNoHazards = "no hazards", kKernelHasNoHazards = "the kernel alone: no hazards";
constexpr const char* kIsTheStarter =
    "is the starter, apart from names, blanks and comments: nothing was done";

const course::Exercise* exercise_for(const std::vector<course::Exercise>& course, const fs::path& file,
                                     const std::string& name) {
  return name.empty() ? exercise_of_file(course, file) : find_exercise(course, name);
}

// Removes white space, which does not distinguish kernels.
std::string without_blanks(std::string_view text) {
  std::string dense;
  for (char letter : text)
    if (!std::isspace(static_cast<unsigned char>(letter))) dense += letter;
  return dense;
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
  return harmless_line(place + part.sentence.text(), 400);
}

// A part of a check, with its share of the points.
struct WeighedPart {
  course::CheckPart part;
  double weight = 1;
};
using WeighedParts = std::vector<WeighedPart>;

struct UsualWeight {
  std::string_view part;
  double weight;
};
// Compiling and running without hazards give no points of their own: right results already require both.
constexpr std::array<UsualWeight, 7> kUsualWeights{{{"compiles", 0},
                                                    {kNoHazards, 0},
                                                    {"no mistakes", 0},
                                                    {kRightResults, 3},
                                                    {"the kernel alone: compiles", 0},
                                                    {kKernelHasNoHazards, 0},
                                                    {"the kernel alone: right results", 1}}};

double usual_weight(const course::Exercise& exercise, std::string_view part) {
  for (const course::ExerciseCriterion& own : exercise.criteria)
    if (own.criterion.name == part) return own.criterion.points;
  for (const UsualWeight& row : kUsualWeights)
    if (row.part == part) return row.weight;
  return 0;  // parts that the program reports about itself
}

// Uses the rubric's weights, and the table above for other parts.
void weigh(WeighedParts& parts, const course::Exercise& exercise, const ExercisePoints& points) {
  double sum = 0;
  for (WeighedPart& each : parts) {
    const auto own = points.weights.find(each.part.name);
    each.weight = own != points.weights.end() ? own->second : usual_weight(exercise, each.part.name);
    sum += each.weight;
  }
  if (points.points == 0 || sum == 0) return;
  for (WeighedPart& each : parts) each.weight *= points.points / sum;
}

bool is_met(const course::CheckPart& part) { return part.outcome == course::CheckPart::kMet; }

bool has_right_results(const WeighedParts& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const WeighedPart& each) {
    return each.part.name == kRightResults && is_met(each.part);
  });
}

// Names of parts that the program itself reports have a prefix, so those parts do not count as hazards.
bool has_hazard(const WeighedParts& parts) {
  return std::ranges::any_of(parts, [](const WeighedPart& each) {
    const std::string& name = each.part.name;
    return each.part.outcome == course::CheckPart::kMissed &&
           (name == kNoHazards || name == kKernelHasNoHazards);
  });
}

// A kernel gets points only if all cases have right results and no hazards.
void fill_marks(const WeighedParts& parts, Grade& grade) {
  const bool is_right = has_right_results(parts) && !has_hazard(parts);
  for (const auto& [part, weight] : parts)
    grade.marks.push_back({part.name, is_right && is_met(part) ? weight : 0, weight, outcome_of(part.outcome),
                           sentence_for(part)});
}

WeighedParts parts_of_kernel(const std::vector<course::CheckPart>& found) {
  WeighedParts parts;
  for (const course::CheckPart& part : found) parts.push_back({part});
  return parts;
}

void note_hazard(const course::ExerciseCheck& check, Grade& grade) {
  if (check.rejected_by.starts_with(kHazardPrefix))
    grade.hazards.push_back(check.rejected_by.substr(kHazardPrefix.size()));
}

// ---- whole programs ------------------------------------------------------------------------------------

// The program's run, with the kernel's own predicted time instead of the time that the program reports.
lab::Row with_time_of(const lab::Row& kernel, lab::Row program) {
  constexpr double kUsPerMs = 1000;
  constexpr std::string_view kKernelsUs = "kernels_us";
  std::erase_if(program.extra, [&](const auto& each) { return each.first == kKernelsUs; });
  if (kernel.prediction) program.extra.emplace_back(kKernelsUs, kUsPerMs * kernel.prediction->ms);
  return program;
}

course::CheckPart seen_outside(const course::ExerciseCriterion& criterion,
                               const course::ExerciseCheck::JudgedRun& program,
                               const course::ExerciseCheck::JudgedRun& kernel) {
  const course::Assessment found =
      assess(criterion.criterion, with_time_of(kernel.row, program.row), program.options);
  const bool is_met = found.outcome == course::Assessment::kMet;
  return {.name = criterion.criterion.name,
          .outcome = is_met ? course::CheckPart::kMet : course::CheckPart::kMissed,
          .sentence = found.sentence};
}

// A criterion counts as not reached if it was not judged in both checks.
std::vector<course::CheckPart> parts_seen_outside(const course::Exercise& exercise,
                                                  const course::ExerciseCheck& check,
                                                  const course::ExerciseCheck& kernel) {
  std::vector<course::CheckPart> parts;
  std::size_t of_kernel = 0;
  for (std::size_t i = 0; i < exercise.criteria.size(); ++i) {
    const course::ExerciseCriterion& each = exercise.criteria[i];
    if (!each.is_seen_outside) continue;
    const bool is_judged = i < check.judged.size() && of_kernel < kernel.judged.size();
    parts.push_back(is_judged ? seen_outside(each, check.judged[i], kernel.judged[of_kernel])
                              : course::CheckPart{.name = each.criterion.name});
    ++of_kernel;
  }
  return parts;
}

// An untrusted program may report anything about itself. Points depend on what the grader observes from
// outside: the exit code, the output for unknown inputs, and the behaviour of the kernel alone.
WeighedParts parts_of_program(const course::Exercise& exercise, const course::ExerciseCheck& check,
                              const course::ExerciseCheck* kernel) {
  using course::CheckPart;
  constexpr std::size_t kPartsOfEvery = 3;  // the parts of every program; its criteria follow
  WeighedParts parts{{check.parts[0]}};
  CheckPart results{std::string(kRightResults), CheckPart::kNotReached};
  if (check.parts[0].outcome == CheckPart::kMet) {
    results.outcome = check.wrong_outside.empty() ? CheckPart::kMet : CheckPart::kMissed;
    results.sentence = check.wrong_outside;
  }
  parts.push_back({results});
  for (std::size_t i = 1; kernel && i < kPartsOfEvery; ++i) {
    parts.push_back({kernel->parts[i]});
    parts.back().part.name = "the kernel alone: " + kernel->parts[i].name;
  }
  if (kernel)
    for (CheckPart& part : parts_seen_outside(exercise, check, *kernel)) parts.push_back({std::move(part)});
  for (std::size_t i = 1; i < check.parts.size(); ++i) {
    const bool is_seen = i >= kPartsOfEvery && exercise.criteria[i - kPartsOfEvery].is_seen_outside;
    if (i == 2 || (kernel && is_seen)) continue;
    parts.push_back({check.parts[i]});
    CheckPart& told = parts.back().part;
    told.name = "as the program tells: " + told.name;
  }
  return parts;
}

WeighedParts parts_of(const course::Exercise& exercise, const course::ExerciseCheck& check,
                      const course::ExerciseCheck* kernel) {
  return exercise.is_program ? parts_of_program(exercise, check, kernel) : parts_of_kernel(check.parts);
}

// The check of a program that was not run.
course::ExerciseCheck unreached(const course::Exercise& exercise) {
  course::ExerciseCheck check;
  check.parts = course::parts_asked_for(exercise);
  return check;
}

ExercisePoints points_for(const course::Exercise& exercise, const fs::path& keys) {
  const std::optional<Rubric> rubric = load_rubric(keys, exercise.lab);
  const auto found = rubric ? rubric->exercises.find(exercise.name) : decltype(rubric->exercises.end()){};
  return rubric && found != rubric->exercises.end() ? found->second : ExercisePoints{};
}

WeighedParts parts_at_stake(const course::Exercise& exercise, const ExercisePoints& points) {
  std::optional<course::ExerciseCheck> kernel;
  if (!exercise.kernel_stage.empty()) kernel = unreached(kernel_alone(exercise));
  WeighedParts parts = parts_of(exercise, unreached(exercise), kernel ? &*kernel : nullptr);
  weigh(parts, exercise, points);
  return parts;
}

void name_exercise(const course::Exercise& exercise, Grade& grade) {
  grade.lab = exercise.lab;
  grade.exercise = exercise.name;
}

void forfeit_all(const course::Exercise& exercise, const GradingRules& rules, const std::string& reason,
                 Grade& grade) {
  fill_marks(parts_at_stake(exercise, points_for(exercise, rules.keys)), grade);
  forfeit(grade, reason);
}

std::optional<course::Exercise> exercise_for(const Submission& submission, const GradingRules& rules) {
  const std::vector<course::Exercise> course = course::load_course(lab::labs_directory(), lab::labs());
  const course::Exercise* found = exercise_for(course, name_of(submission), rules.exercise);
  return found ? std::optional(*found) : std::nullopt;
}

nlohmann::json cases_in(const fs::path& file) {
  nlohmann::json text = nlohmann::json::parse(read_text(file), nullptr, false);
  if (!text.is_object()) throw usage_error(msg::own_cases_not_object(file.string()));
  return text;
}

}  // namespace

std::vector<course::Case> own_cases(const fs::path& file, const course::Exercise& exercise) {
  if (file.empty()) return {};
  const nlohmann::json text = cases_in(file);
  const auto found = text.find(exercise.name);
  if (found == text.end()) return {};
  return course::cases_from(*found, *lab::find_lab(exercise.lab),
                            Message::verbatim(fmt::format("{}: {}", file.string(), exercise.name)));
}

void require_own_cases(const fs::path& file, const std::vector<course::Exercise>& course) {
  if (file.empty()) return;
  const nlohmann::json text = cases_in(file);
  for (const auto& [name, list] : text.items()) {
    const course::Exercise* exercise = course::find_exercise(course, name);
    if (!exercise) throw usage_error(msg::own_cases_exercise_unknown(file.string(), name));
    own_cases(file, *exercise);
  }
}

void grade_kernel(const Submission& submission, const std::string& text, const GradingRules& rules,
                  Grade& grade) {
  const std::optional<course::Exercise> exercise = exercise_for(submission, rules);
  if (!exercise) {
    grade.problem = "is a kernel whose name is not that of an exercise; say which with --exercise";
    return;
  }
  name_exercise(*exercise, grade);
  grade.fingerprint = digest(without_blanks(text));
  if (differs_in_names_only(text, read_text(exercise->starter())))
    return forfeit_all(*exercise, rules, kIsTheStarter, grade);
  const std::vector<course::Case> cases = own_cases(rules.cases, *exercise);
  SafeMachine safe;
  const auto checked = [&](const course::Exercise& as) {
    return course::check_exercise(
        as, *lab::find_lab(exercise->lab), submission.file,
        {.seed = rules.seed, .cases = cases, .steps = rules.steps, .gives_reasons = false}, safe.machine());
  };
  const course::ExerciseCheck check = checked(*exercise);
  std::optional<course::ExerciseCheck> kernel;
  if (!exercise->kernel_stage.empty()) kernel = checked(kernel_alone(*exercise));
  WeighedParts parts = parts_of(*exercise, check, kernel ? &*kernel : nullptr);
  weigh(parts, *exercise, points_for(*exercise, rules.keys));
  fill_marks(parts, grade);
  note_hazard(kernel ? *kernel : check, grade);
}

void put_at_stake(const Submission& submission, const GradingRules& rules, Grade& grade) {
  const std::optional<course::Exercise> exercise = exercise_for(submission, rules);
  if (!exercise) return;
  name_exercise(*exercise, grade);
  forfeit_all(*exercise, rules, std::string(grade.problem), grade);
}

void require_known_parts(const Rubric& rubric, const std::vector<course::Exercise>& course) {
  for (const auto& [name, points] : rubric.exercises) {
    const course::Exercise* exercise = course::find_exercise(course, name);
    if (!exercise) continue;
    const WeighedParts parts = parts_at_stake(*exercise, points);
    for (const auto& [part, weight] : points.weights)
      if (std::none_of(parts.begin(), parts.end(), [&](const auto& each) { return each.part.name == part; }))
        throw usage_error(msg::rubric_part_unknown(
            rubric.lab, part, name, joined(parts, ", ", [](const auto& each) { return each.part.name; })));
  }
}

}  // namespace cudalab::grading

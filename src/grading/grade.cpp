// Grades result documents by a rubric.
#include "grading/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/digest.h"
#include "core/named.h"
#include "core/once.h"
#include "core/text.h"
#include "core/text_pattern.h"
#include "grading/identity.h"
#include "grading/submission.h"

namespace cudalab::grading {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMostHazards = 20;
constexpr const char* kNoMarkYet = "it gets a mark when it is graded again or decided by hand";

// True if a path of the criterion, or of its additional conditions, begins with one of these. Paths may be
// summed: "A + B".
bool rests_on(const course::Criterion& criterion, std::span<const std::string_view> beginnings) {
  const std::string paths = fmt::format(" + {} + {}", criterion.value.text, criterion.per.text);
  const auto is_there = [&](std::string_view beginning) {
    return paths.find(fmt::format(" + {}", beginning)) != std::string::npos;
  };
  const auto rests = [&](const course::Criterion& also) { return rests_on(also, beginnings); };
  return std::any_of(beginnings.begin(), beginnings.end(), is_there) ||
         std::any_of(criterion.also.begin(), criterion.also.end(), rests);
}

// True if the criterion uses a time, or a value computed from one.
bool rests_on_times(const course::Criterion& criterion) {
  static constexpr std::array<std::string_view, 8> kTimes{"time_ms",   "transfer_ms",        "gb_s",
                                                          "gflop_s",   "percent_of_ceiling", "speedup",
                                                          "launch_us", "extra/latency"};
  return rests_on(criterion, kTimes);
}

// Counters of a GPU exist only with a profile by Nsight Compute.
bool rests_on_counters(const course::Criterion& criterion) {
  static constexpr std::array<std::string_view, 1> kCounters{"counters/"};
  return rests_on(criterion, kCounters);
}

void take_from_maximum(Mark& mark, std::string_view why) {
  mark.points = mark.most = 0;
  mark.outcome = course::Assessment::kNotAssessed;
  mark.sentence = fmt::format("not assessed, and not part of the maximum: {}", why);
}

void leave_out_what_nobody_can_show(const course::Criterion& criterion, const Json& document,
                                    Evidence evidence, Mark& mark) {
  const bool is_unknown = mark.outcome == course::Assessment::kNotAssessed;
  const bool on_gpu = text_at(document, "evidence") == "gpu";
  const Json* run = criterion.run.empty() ? nullptr : run_called(document, criterion.run);
  if (run != nullptr && text_at(*run, "verdict") == "not_assessed")
    return take_from_maximum(mark, "the run shows in times alone, and this device has none");
  if (rests_on_times(criterion) && (is_unknown || evidence == Evidence::kSeenAgain))
    take_from_maximum(mark, is_unknown ? "there are no times" : "nobody can verify times");
  else if (rests_on_counters(criterion) && is_unknown && on_gpu && evidence == Evidence::kAsClaimed)
    take_from_maximum(mark, "a GPU has no counters without a profile; --verify counts them here");
}

Mark mark_for(const course::Criterion& criterion, const Json& document) {
  Mark mark{criterion.name, 0, criterion.points, course::Assessment::kNotAssessed, ""};
  const Json* judged = criterion.run.empty() ? &document : run_called(document, criterion.run);
  if (judged == nullptr) {
    mark.sentence = fmt::format("there is no run `{}`", criterion.run);
    return mark;
  }
  course::Assessment assessment = course::assess(criterion, *judged, at(document, "options"));
  mark.outcome = assessment.outcome;
  mark.sentence = harmless_line(assessment.sentence.text(), 400);
  if (assessment.outcome == course::Assessment::kMet) mark.points = criterion.points;
  return mark;
}

void collect_hazards(const Json& run, std::vector<std::string>& hazards) {
  auto found = run.find("hazards");
  if (found == run.end() || !found->is_array()) return;
  for (const Json& hazard : *found) {
    if (!hazard.is_object() || !hazard.contains("kind") || !hazard["kind"].is_string()) continue;
    if (hazards.size() < kMostHazards)
      add_once(hazards, harmless_line(hazard["kind"].get<std::string>(), 40));
  }
}

// A digest of a document's times. Two runs of a lab never have exactly the same times, so equal digests mean
// a copied document.
std::string fingerprint_of(const Json& document) {
  Json times = Json::array();
  for (const Json& run : at(document, "runs"))
    for (const char* key : {"time_ms", "simulation_ms"})
      if (run.contains(key) && !run[key].is_null()) times.push_back(run[key]);
  return times.empty() ? "" : digest(times.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string student_in(const Json& document) {
  return harmless_line(text_at(document, "student"), kLongestName);
}

constexpr Named<course::Assessment::Outcome> kOutcomes[]{{"met", course::Assessment::kMet},
                                                         {"missed", course::Assessment::kMissed},
                                                         {"not_assessed", course::Assessment::kNotAssessed}};

OrderedJson to_json(const Mark& mark) {
  return {{"name", mark.name},
          {"points", mark.points},
          {"most", mark.most},
          {"outcome", name_in(kOutcomes, mark.outcome)},
          {"sentence", mark.sentence}};
}

Mark mark_from(const OrderedJson& text) {
  return {text.at("name").get<std::string>(), text.at("points").get<double>(), text.at("most").get<double>(),
          value_called(text.at("outcome").get<std::string>(), kOutcomes)
              .value_or(course::Assessment::kNotAssessed),
          text.at("sentence").get<std::string>()};
}

// Writes only those adjustments and states that the grade has.
void add_what_came_after(const Grade& grade, OrderedJson& text) {
  for (const Adjustment& one : grade.adjustments)
    text["adjustments"].push_back({{"name", one.name}, {"points", one.points}, {"reason", one.reason}});
  if (!grade.counts) text["counts"] = false;
  if (grade.is_undecided) text["not_verified"] = true;
  for (const Alike& one : grade.alike)
    text["alike"].push_back({{"with", one.with},
                             {"share", one.share},
                             {"line", one.line},
                             {"other_line", one.other_line},
                             {"text", one.text},
                             {"other_text", one.other_text}});
  if (grade.earlier)
    text["earlier"] = {{"points", grade.earlier->points},
                       {"most", grade.earlier->most},
                       {"differences", grade.earlier->differences}};
}

// Removes rounding errors: three thirds of a point are 1 point.
double without_dust(double points) { return std::round(points * 1e9) / 1e9; }

double most_of_class(const std::vector<Grade>& grades, const Grade* like) {
  double most = 0;
  for (const Grade& grade : grades)
    if (!like || (grade.lab == like->lab && grade.exercise == like->exercise))
      most = std::max(most, grade.at_stake());
  return most;
}

// The maximum if no grade of the class has one: platforms reject grades with a maximum of 0 points.
constexpr double kLeastMaximum = 1;

// "2 of 3 points"
std::string mark_in_words(double points, double most, std::string_view unit) {
  return most > 0 ? fmt::format("{} of {}{}", points_text(points), points_text(most), unit) : "no mark";
}

}  // namespace

double Grade::points() const {
  if (is_undecided) return 0;
  double sum = 0;
  for (const Mark& mark : marks) sum += mark.points;
  for (const Adjustment& one : adjustments) sum += one.points;
  return std::max(0.0, without_dust(sum));
}

double Grade::most() const { return is_undecided ? 0 : at_stake(); }

double Grade::at_stake() const {
  double sum = 0;
  for (const Mark& mark : marks) sum += mark.most;
  return without_dust(sum);
}

// Rounds to three decimals, which removes rounding errors of sums.
std::string points_text(double points) { return fmt::format("{}", std::round(points * 1000) / 1000 + 0.0); }

std::string points_text(const Grade& grade, std::string_view without_mark) {
  return grade.is_undecided ? std::string(without_mark) : points_text(grade.points());
}

std::string words_on(const Alike& alike) {
  return fmt::format("{:.0f} % like {}: line {} here, line {} there", 100 * alike.share, alike.with,
                     alike.line, alike.other_line);
}

std::string Grade::problem_in_words() const {
  return is_undecided ? fmt::format("{}: {}", problem, kNoMarkYet) : problem;
}

std::vector<std::string> words_on_changes(const Grade& grade) {
  std::vector<std::string> sentences;
  for (const Adjustment& one : grade.adjustments)
    sentences.push_back(fmt::format("{}: {}{}: {}", one.name, one.points > 0 ? "+" : "",
                                    points_text(one.points), one.reason));
  if (grade.earlier && !grade.earlier->differences.empty())
    sentences.push_back(fmt::format("graded again: {} before, {} now: {}",
                                    mark_in_words(grade.earlier->points, grade.earlier->most, " points"),
                                    mark_in_words(grade.points(), grade.most(), ""),
                                    joined(grade.earlier->differences, "; ")));
  return sentences;
}

std::string without_folders(const std::string& text) {
  static const TextPattern path(R"((^|[\s(`"':=])/(?:[^\s/`"',;:)]+/)+)");
  return path.replace_all(text, "$1");
}

std::string Grade::feedback(std::string_view separator) const {
  std::string text = problem_in_words();
  auto add = [&](const std::string& line) { text += text.empty() ? line : std::string(separator) + line; };
  for (const Mark& mark : marks)
    if (mark.outcome != course::Assessment::kMet && mark.sentence != problem)
      add(fmt::format("{}: {}", mark.name, mark.sentence));
  for (const std::string& sentence : words_on_changes(*this)) add(sentence);
  return without_folders(text);
}

void grade_document(const Json& document, const Rubric& rubric, Grade& grade, Evidence evidence) {
  grade.lab = rubric.lab;
  grade.marks.clear();
  grade.hazards.clear();
  for (const course::Criterion& criterion : rubric.criteria) {
    grade.marks.push_back(mark_for(criterion, document));
    leave_out_what_nobody_can_show(criterion, document, evidence, grade.marks.back());
  }
  for (const Json& run : at(document, "runs")) collect_hazards(run, grade.hazards);
  grade.fingerprint = fingerprint_of(document);
  std::string student = rubric.identifies_by_file ? "" : student_in(document);
  if (!student.empty()) grade.student = student;
}

void forfeit(Grade& grade, const std::string& reason) {
  grade.problem = reason;
  for (Mark& mark : grade.marks) mark = {mark.name, 0, mark.most, course::Assessment::kNotAssessed, reason};
}

void level_maxima(std::vector<Grade>& grades) {
  const double most = most_of_class(grades, nullptr);
  std::vector<double> of_lab;
  for (const Grade& grade : grades) of_lab.push_back(grade.lab.empty() ? 0 : most_of_class(grades, &grade));
  for (std::size_t i = 0; i < grades.size(); ++i) {
    if (!grades[i].marks.empty()) continue;
    const double maximum = of_lab[i] > 0 ? of_lab[i] : most > 0 ? most : kLeastMaximum;
    grades[i].marks.push_back({"can be graded", 0, maximum, course::Assessment::kMissed, grades[i].problem});
  }
}

OrderedJson to_json(const Grade& grade) {
  OrderedJson marks = OrderedJson::array();
  for (const Mark& mark : grade.marks) marks.push_back(to_json(mark));
  OrderedJson text{{"file", grade.file},
                   {"student", grade.student},
                   {"lab", grade.lab},
                   {"exercise", grade.exercise},
                   {"problem", grade.problem},
                   {"points", grade.points()},
                   {"most", grade.most()},
                   {"marks", marks},
                   {"hazards", grade.hazards},
                   {"flags", grade.flags},
                   {"content", grade.content},
                   {"fingerprint", grade.fingerprint},
                   {"seconds", grade.seconds},
                   {"memory_mib", grade.memory_mib},
                   {"submitted", grade.submitted}};
  add_what_came_after(grade, text);
  return text;
}

Grade grade_from(const OrderedJson& text) {
  Grade grade;
  text.at("file").get_to(grade.file);
  text.at("student").get_to(grade.student);
  text.at("lab").get_to(grade.lab);
  text.at("exercise").get_to(grade.exercise);
  text.at("problem").get_to(grade.problem);
  for (const OrderedJson& mark : text.at("marks")) grade.marks.push_back(mark_from(mark));
  text.at("hazards").get_to(grade.hazards);
  text.at("flags").get_to(grade.flags);
  text.at("content").get_to(grade.content);
  text.at("fingerprint").get_to(grade.fingerprint);
  text.at("seconds").get_to(grade.seconds);
  text.at("memory_mib").get_to(grade.memory_mib);
  grade.submitted = text.value("submitted", "");
  grade.counts = text.value("counts", true);
  grade.is_undecided = text.value("not_verified", false);
  for (const OrderedJson& one : text.value("adjustments", OrderedJson::array()))
    grade.adjustments.push_back({one.at("name").get<std::string>(), one.at("points").get<double>(),
                                 one.at("reason").get<std::string>()});
  return grade;
}

}  // namespace cudalab::grading

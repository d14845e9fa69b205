// Compares two moments, and takes a share.
#include "grading/book/lateness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/error.h"
#include "core/text.h"
#include "grading/book/moment.h"

namespace cudalab::grading {
namespace {

struct PenaltyUnit {
  std::string_view name;
  std::int64_t seconds;
};
constexpr std::array<PenaltyUnit, 4> kUnits{
    {{"hour", 3'600}, {"day", 86'400}, {"week", 604'800}, {"once", 0}}};

constexpr double kWhole = 100;  // percent

Deadline deadline_from(std::string_view text) {
  const std::optional<std::int64_t> moment = moment_from(text, DayMeans::kItsEnd);
  if (!moment)
    throw usage_error("--deadline {}: that is no time; write 2026-02-01, or 2026-02-01T23:59+01:00", text);
  return {std::string(trimmed(text)), *moment};
}

// The rules', or what the platform says of this student.
std::optional<Deadline> deadline_for(const LateRules& rules, const Submission& submission,
                                     const Grade& grade) {
  for (const std::string& work : {grade.exercise, grade.lab, std::string()})
    if (const auto found = rules.deadlines.find(work); found != rules.deadlines.end()) return found->second;
  const auto due = moment_from(submission.due, DayMeans::kItsEnd);
  return due ? std::optional(Deadline{submission.due, *due}) : std::nullopt;
}

// Of a platform that says that it is late, and not by how much.
constexpr std::int64_t kAtLeast = 1;

struct Late {
  std::int64_t seconds;  // 0 or less: in time
  std::string words;     // "26 hours after 2026-02-01"
};

// A roster may know the time of this work alone.
void take_time_of_work(const Submission& submission, Grade& grade) {
  for (const std::string& work : {grade.exercise, grade.lab})
    if (const auto found = submission.submitted_of.find(work); found != submission.submitted_of.end())
      return void(grade.submitted = harmless_line(found->second, 60));
}

std::optional<Late> lateness_of(const LateRules& rules, const Submission& submission, Grade& grade) {
  const std::optional<std::int64_t> came = moment_from(grade.submitted, DayMeans::kItsBeginning);
  const std::optional<Deadline> deadline = deadline_for(rules, submission, grade);
  if (came && deadline) {
    const std::int64_t seconds = *came - deadline->moment;
    return Late{seconds, fmt::format("handed in {} after {}", span_in_words(seconds), deadline->text)};
  }
  if (submission.is_late) return Late{kAtLeast, "late, as the platform says"};
  if (!came)
    grade.flags.push_back(
        grade.submitted.empty()
            ? "when it was handed in is not known: neither platform nor roster says"
            : fmt::format("when it was handed in is not known: {} is no time", grade.submitted));
  return std::nullopt;
}

double percent_for(const LatePenalty& penalty, std::int64_t seconds) {
  const std::int64_t begun =
      penalty.unit_seconds ? (seconds + penalty.unit_seconds - 1) / penalty.unit_seconds : 1;
  return std::min(kWhole, penalty.percent * static_cast<double>(begun));
}

std::string in_words(const LatePenalty& penalty) {
  return penalty.unit_seconds ? fmt::format("{} % for each {} that has begun", penalty.percent, penalty.unit)
                              : fmt::format("{} %", penalty.percent);
}

void take(const LatePenalty& penalty, const Late& late, Grade& grade) {
  const double percent = percent_for(penalty, late.seconds);
  grade.adjustments.push_back({kLate, -grade.points() * percent / kWhole,
                               fmt::format("{}: {} % less ({})", late.words, percent, in_words(penalty))});
}

}  // namespace

LatePenalty late_penalty_from(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  LatePenalty penalty;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + slash, penalty.percent);
  const bool is_number = failed == std::errc{} && end == text.data() + slash && slash > 0;
  if (slash < text.size()) penalty.unit = text.substr(slash + 1);
  const auto unit = std::ranges::find(kUnits, penalty.unit, &PenaltyUnit::name);
  if (!is_number || unit == kUnits.end() || !(penalty.percent >= 0 && penalty.percent <= kWhole))
    throw usage_error("--late {}: write percent of the points, 10 or 10/day, 2/hour, 20/week, 50/once", text);
  penalty.unit_seconds = unit->seconds;
  return penalty;
}

std::map<std::string, Deadline> deadlines_from(std::string_view text) {
  std::map<std::string, Deadline> deadlines;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t equals = part.find('=');
    const bool is_named = equals != std::string_view::npos;
    deadlines[is_named ? std::string(trimmed(part.substr(0, equals))) : ""] =
        deadline_from(is_named ? part.substr(equals + 1) : part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return deadlines;
}

void apply_lateness(const LateRules& rules, const std::vector<Submission>& submissions,
                    std::vector<Grade>& grades) {
  for (std::size_t i = 0; i < grades.size(); ++i) take_time_of_work(submissions[i], grades[i]);
  if (!rules.are_asked_for()) return;
  for (std::size_t i = 0; i < grades.size(); ++i) {
    const std::optional<Late> late = lateness_of(rules, submissions[i], grades[i]);
    if (!late || late->seconds <= 0) continue;
    if (rules.penalty && grades[i].points() > 0)
      take(*rules.penalty, *late, grades[i]);
    else if (!rules.penalty || grades[i].is_undecided)
      grades[i].flags.push_back(late->words);
  }
}

}  // namespace cudalab::grading

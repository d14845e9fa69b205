// Computes students' totals: which attempts count, the deduction for lateness, and the times that decide it.
#include "grading/book/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <regex>

#include "core/error.h"
#include "core/text.h"
#include "messages/grading.h"

namespace cudalab::grading {
namespace {

constexpr int kSecondsOfDay = 86'400, kSecondsOfHour = 3'600, kSecondsOfMinute = 60;

struct Written {
  int year, month, day, hour, minute, second;
  std::string zone;  // empty: none given
};

int number_in(const std::csub_match& part) { return part.matched ? std::atoi(part.str().c_str()) : 0; }

bool is_possible(const Written& time) {
  const std::chrono::year_month_day day{std::chrono::year(time.year),
                                        std::chrono::month(static_cast<unsigned>(time.month)),
                                        std::chrono::day(static_cast<unsigned>(time.day))};
  return day.ok() && time.hour < 24 && time.minute < 60 && time.second <= 60;
}

std::int64_t seconds_in_utc(const Written& time) {
  const std::chrono::sys_days day = std::chrono::year(time.year) /
                                    std::chrono::month(static_cast<unsigned>(time.month)) /
                                    std::chrono::day(static_cast<unsigned>(time.day));
  return std::int64_t{day.time_since_epoch().count()} * kSecondsOfDay + time.hour * kSecondsOfHour +
         time.minute * kSecondsOfMinute + time.second;
}

std::int64_t seconds_by_the_clock_here(const Written& time) {
  std::tm here{};
  here.tm_year = time.year - 1900;
  here.tm_mon = time.month - 1;
  here.tm_mday = time.day;
  here.tm_hour = time.hour;
  here.tm_min = time.minute;
  here.tm_sec = time.second;
  here.tm_isdst = -1;
  return std::mktime(&here);
}

// Parses "+05:30", "-0800" or "+01".
int seconds_of_offset(const std::string& zone) {
  const int hours = std::atoi(zone.substr(1, 2).c_str());
  const int minutes = zone.size() > 3 ? std::atoi(zone.substr(zone.size() - 2).c_str()) : 0;
  return (zone[0] == '-' ? -1 : 1) * (hours * kSecondsOfHour + minutes * kSecondsOfMinute);
}

std::int64_t seconds_of(const Written& time) {
  if (time.zone.empty()) return seconds_by_the_clock_here(time);
  const bool is_utc = time.zone == "Z" || time.zone == "UTC";
  return seconds_in_utc(time) - (is_utc ? 0 : seconds_of_offset(time.zone));
}

}  // namespace

std::optional<std::int64_t> moment_from(std::string_view text, DayMeans day) {
  static const std::regex form(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)");
  const std::string trimmed_text(trimmed(text));
  std::cmatch part;
  if (!std::regex_match(trimmed_text.c_str(), part, form)) return std::nullopt;
  const Written time{number_in(part[1]), number_in(part[2]), number_in(part[3]), number_in(part[4]),
                     number_in(part[5]), number_in(part[6]), part[7].str()};
  if (!is_possible(time)) return std::nullopt;
  const bool is_end_of_day = !part[4].matched && day == DayMeans::kItsEnd;
  return seconds_of(time) + (is_end_of_day ? kSecondsOfDay - 1 : 0);
}

std::string span_in_words(std::int64_t seconds) {
  struct Unit {
    int seconds;
    std::string_view name;
  };
  static constexpr std::array<Unit, 3> kUnits{
      {{kSecondsOfDay, "day"}, {kSecondsOfHour, "hour"}, {kSecondsOfMinute, "minute"}}};
  for (const Unit& unit : kUnits)
    if (seconds >= 2 * unit.seconds) return counted(static_cast<double>(seconds / unit.seconds), unit.name);
  return counted(static_cast<double>(seconds), "second");
}

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
  if (!moment) throw usage_error(msg::deadline_malformed(text));
  return {std::string(trimmed(text)), *moment};
}

// The deadline of the rules for this work, or else the platform's deadline for this student.
std::optional<Deadline> deadline_for(const LateRules& rules, const Submission& submission,
                                     const Grade& grade) {
  for (const std::string& work : {grade.exercise, grade.lab, std::string()})
    if (const auto found = rules.deadlines.find(work); found != rules.deadlines.end()) return found->second;
  const auto due = moment_from(submission.due, DayMeans::kItsEnd);
  return due ? std::optional(Deadline{submission.due, *due}) : std::nullopt;
}

// Seconds late if the platform only says that a submission is late: enough for one unit of the penalty.
constexpr std::int64_t kAtLeast = 1;

struct Late {
  std::int64_t seconds;  // 0 or less: on time
  std::string words;     // "26 hours after 2026-02-01"
};

// A roster may give a separate submission time for this work.
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
            : fmt::format("when it was handed in is not known: {} is not a time", grade.submitted));
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
    throw usage_error(msg::late_malformed(text));
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

namespace {

constexpr const char* kNotGraded = "not graded";

// Assigns numbers to texts in order of first appearance.
class Numbering {
 public:
  std::size_t of(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

std::string only_work(std::span<const Grade> grades) {
  std::string only;
  for (const Grade& grade : grades) {
    if (!grade.work().empty() && !only.empty() && grade.work() != only) return kNotGraded;
    if (!grade.work().empty()) only = grade.work();
  }
  return only.empty() ? kNotGraded : only;
}

const std::string& work_of(const Grade& grade, const std::string& of_none) {
  return grade.work().empty() ? of_none : grade.work();
}

// ---- attempts ------------------------------------------------------------------------------------------

using Attempts = std::vector<Grade*>;

// The attempt with the most points; with equal points, an undecided attempt is preferred, because it may
// still gain points.
Grade* best_of(const Attempts& attempts) {
  return *std::ranges::max_element(
      attempts, {}, [](const Grade* grade) { return std::pair(grade->points(), grade->is_undecided); });
}

// The latest attempt. Null if a time is missing or two attempts share the latest time.
Grade* last_of(const Attempts& attempts) {
  Grade* last = nullptr;
  std::optional<std::int64_t> latest;
  bool is_alone = true;
  for (Grade* grade : attempts) {
    const auto came = moment_from(grade->submitted, DayMeans::kItsBeginning);
    if (!came) return nullptr;
    if (latest && *came < *latest) continue;
    is_alone = !latest || *came > *latest;
    latest = came;
    last = grade;
  }
  return is_alone ? last : nullptr;
}

void say_what_may_be_better(const Attempts& attempts, const Grade& chosen) {
  for (Grade* grade : attempts)
    if (grade->is_undecided && grade != &chosen && chosen.points() < grade->at_stake())
      grade->flags.push_back("another attempt counts as long as this one is not verified");
}

void choose(Attempt attempt, const Attempts& attempts) {
  if (attempts.size() < 2) return;
  Grade* chosen = attempt == Attempt::kLast ? last_of(attempts) : nullptr;
  if (!chosen) {
    chosen = best_of(attempts);
    say_what_may_be_better(attempts, *chosen);
    if (attempt == Attempt::kLast)
      chosen->flags.push_back("which attempt was the last is not known: the best one counts");
  }
  for (Grade* grade : attempts) grade->counts = grade == chosen;
}

// ---- totals --------------------------------------------------------------------------------------------

double without_rounding_errors(double points) { return std::round(points * 1e9) / 1e9; }

void add_up(const Totals& totals, StudentTotal& student) {
  for (std::size_t work = 0; work < totals.works.size(); ++work) {
    if (totals.works[work] == kNotGraded && totals.works.size() > 1) continue;
    const Grade* grade = student.counting[work];
    if (grade && grade->is_undecided) student.undecided.push_back(totals.works[work]);
    student.points += grade ? grade->points() : 0;
    student.most += grade ? grade->most() : totals.most[work];
    student.at_stake += grade ? grade->at_stake() : totals.most[work];
  }
  student.points = without_rounding_errors(student.points);
  student.most = without_rounding_errors(student.most);
  student.at_stake = without_rounding_errors(student.at_stake);
}

void count(const Grade& grade, const Grade*& counting) {
  const bool is_better = !counting || (grade.counts && !counting->counts) ||
                         (grade.counts == counting->counts && grade.points() > counting->points());
  if (is_better) counting = &grade;
}

}  // namespace

std::string StudentTotal::points_in_words(std::string_view without_mark) const {
  return undecided.empty() ? points_text(points) : std::string(without_mark);
}

void choose_attempts(Attempt attempt, std::vector<Grade>& grades) {
  const std::string of_none = only_work(grades);
  std::map<std::pair<std::string, std::string>, Attempts> by_work;
  for (Grade& grade : grades) by_work[{grade.student, work_of(grade, of_none)}].push_back(&grade);
  for (const auto& [whose, attempts] : by_work) choose(attempt, attempts);
}

void fix_works(std::span<const std::string> works, std::vector<Grade>& grades) {
  for (Grade& grade : grades)
    grade.is_beside_works = !works.empty() && std::ranges::find(works, grade.work()) == works.end();
}

Totals totals_of(std::span<const Grade> all, std::span<const std::string> expected) {
  std::vector<std::reference_wrapper<const Grade>> grades;
  std::ranges::copy_if(all, std::back_inserter(grades), std::not_fn(&Grade::is_beside_works));
  const std::string of_none = only_work(all);
  Numbering works, students;
  for (const Grade& grade : grades)
    if (!grade.work().empty()) works.of(grade.work());
  for (const Grade& grade : grades) works.of(work_of(grade, of_none));
  for (const Grade& grade : all) students.of(grade.student);
  for (const std::string& student : expected) students.of(student);
  Totals totals{works.texts(), std::vector<double>(works.texts().size()), {}};
  for (const std::string& student : students.texts())
    totals.students.push_back({student, std::vector<const Grade*>(totals.works.size())});
  for (const Grade& grade : grades) {
    const std::size_t work = works.of(work_of(grade, of_none));
    totals.most[work] = std::max(totals.most[work], grade.at_stake());
    count(grade, totals.students[students.of(grade.student)].counting[work]);
  }
  for (StudentTotal& student : totals.students) add_up(totals, student);
  return totals;
}

}  // namespace cudalab::grading

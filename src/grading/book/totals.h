// Students' totals: which attempts count, the deduction for lateness, and the times that decide it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"
#include "grading/submission.h"

namespace cudalab::grading {

// Parses times as platforms, rosters and people write them.

// Which moment a date without a time of day means: always the one in the student's favour.
enum class DayMeans { kItsBeginning, kItsEnd };

// Seconds since 1970-01-01 00:00 UTC; empty if the text is not a time. Accepts "2026-01-31", "2026-01-31
// 17:05" and "2026-01-31T17:05:00.125-08:00", followed by "Z", "UTC" or an offset. Without these, the time is
// in the local time zone.
std::optional<std::int64_t> moment_from(std::string_view text, DayMeans day);

// "26 hours", "3 days": whole units; the largest unit of which the span contains at least two.
std::string span_in_words(std::int64_t seconds);

// Deductions for lateness. Submission times come from a platform or a roster, never from a submitted file.

struct Deadline {
  std::string text;  // as the instructor wrote it
  std::int64_t moment = 0;
};

// By default 10 % per day, where a started day counts as a whole one.
struct LatePenalty {
  double percent = 10;
  std::int64_t unit_seconds = 86'400;  // 0: a single deduction, however late
  std::string unit = "day";
};

struct LateRules {
  std::map<std::string, Deadline> deadlines;  // by lab or exercise; "" stands for all others
  std::optional<LatePenalty> penalty;         // empty: lateness is flagged without a deduction
  bool are_asked_for() const { return penalty || !deadlines.empty(); }
};

// Parses "10", "10/day", "5/hour" or "50/once": percent of the points reached. Throws Error(kUsage).
LatePenalty late_penalty_from(std::string_view text);

// Parses "2026-02-01" or "padded-tile=2026-02-01 18:00,dot=2026-03-01T23:59+01:00". Throws Error(kUsage).
std::map<std::string, Deadline> deadlines_from(std::string_view text);

// Adds an adjustment to each late grade, and a flag if the submission time is unknown. `grades` are in the
// order of the submissions.
void apply_lateness(const LateRules& rules, const std::vector<Submission>& submissions,
                    std::vector<Grade>& grades);

// Chooses the attempt that counts for each work (a lab or an exercise), and sums a student's points over all
// works.

enum class Attempt { kBest, kLast };

// Sets which grades count: one per student and work. The last attempt is determined by the times of the
// platform or roster; if these are missing or equal, the best attempt counts and the instructor is told.
void choose_attempts(Attempt attempt, std::vector<Grade>& grades);

struct StudentTotal {
  std::string student;
  std::vector<const Grade*> counting;  // one per work; null: no submission
  double points = 0, most = 0;         // without undecided works
  double at_stake = 0;                 // the maximum, with undecided works included
  std::vector<std::string> undecided;  // the undecided works among `counting`

  // Returns `without_mark` if a work is undecided, because the total is not final.
  std::string points_in_words(std::string_view without_mark) const;
};

struct Totals {
  std::vector<std::string> works;  // labs and exercises, in order of first appearance
  std::vector<double> most;        // the maximum of each
  std::vector<StudentTotal> students;
};

// Fixes the works that count towards totals: grades of others are marked and stay out of all totals. Without
// names, every work counts that some student handed in.
void fix_works(std::span<const std::string> works, std::vector<Grade>& grades);

// Sums the grades that count, which must outlive the totals. `expected`: students who get a row even without
// a submission. A file that could not be assigned to a work belongs to the only work, if there is just one,
// and otherwise to `not graded`, which is not part of any total.
Totals totals_of(std::span<const Grade> grades, std::span<const std::string> expected = {});

}  // namespace cudalab::grading

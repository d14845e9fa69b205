// Totals of a student: which attempts count, the cost of lateness, and the moments that decide it.
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

// Moments in time, as platforms, rosters and people write them.

// What a day without a time of day means: students are given the doubt.
enum class DayMeans { kItsBeginning, kItsEnd };

// Seconds since 1970-01-01 00:00 UTC; nothing where the text is not a time. "2026-01-31", "2026-01-31 17:05",
// "2026-01-31T17:05:00.125-08:00", with "Z", "UTC" or an offset behind it; without one, as the clocks here
// go.
std::optional<std::int64_t> moment_from(std::string_view text, DayMeans day);

// "26 hours", "3 days", in words: whole units, the largest of which there are two at least.
std::string span_in_words(std::int64_t seconds);

// What being late costs. When a submission came is what a platform or a roster says, never a file.

struct Deadline {
  std::string text;  // as it was written
  std::int64_t moment = 0;
};

// Ten percent for each day that has begun.
struct LatePenalty {
  double percent = 10;
  std::int64_t unit_seconds = 86'400;  // 0: once, however late
  std::string unit = "day";
};

struct LateRules {
  std::map<std::string, Deadline> deadlines;  // by lab or exercise; of "": all that are not named
  std::optional<LatePenalty> penalty;         // none: lateness is flagged, and costs nothing
  bool are_asked_for() const { return penalty || !deadlines.empty(); }
};

// "10", "10/day", "5/hour", "50/once": percent of the points that were reached. Throws Error(kUsage).
LatePenalty late_penalty_from(std::string_view text);

// "2026-02-01", "padded-tile=2026-02-01 18:00,dot=2026-03-01T23:59+01:00". Throws Error(kUsage).
std::map<std::string, Deadline> deadlines_from(std::string_view text);

// Takes from each grade what it lost by being late, says so in an adjustment, and flags what cannot be known.
// `grades` are those of the submissions, in their order.
void apply_lateness(const LateRules& rules, const std::vector<Submission>& submissions,
                    std::vector<Grade>& grades);

// Which of a student's attempts counts, and what a student has in all: over labs and exercises.

enum class Attempt { kBest, kLast };

// Sets which grades count: one of each student's for each lab or exercise. The last is what platform or
// roster say it is; where they do not, the best counts, and the instructor is told.
void choose_attempts(Attempt attempt, std::vector<Grade>& grades);

struct StudentTotal {
  std::string student;
  std::vector<const Grade*> counting;  // one for each work; null: nothing was handed in
  double points = 0, most = 0;         // without works that have no mark yet
  double at_stake = 0;                 // with them
  std::vector<std::string> undecided;  // these, as far as they count

  // Where a work has no mark, there is no total to enter anywhere: `without_mark`.
  std::string points_in_words(std::string_view without_mark) const;
};

struct Totals {
  std::vector<std::string> works;  // labs and exercises, in the order in which they appear
  std::vector<double> most;        // of each, at most
  std::vector<StudentTotal> students;
};

// Of the grades that count, which must outlive the totals. `expected`: students who are in it even where they
// handed in nothing. What is of no lab, since it could not be read, is of the only work where there is but
// one, and else one of its own, `not graded`, that no total holds.
Totals totals_of(std::span<const Grade> grades, std::span<const std::string> expected = {});

}  // namespace cudalab::grading

// What being late costs. When a submission came is what a platform or a roster says, never a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/grade.h"
#include "grading/submission.h"

namespace cudalab::grading {

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

}  // namespace cudalab::grading

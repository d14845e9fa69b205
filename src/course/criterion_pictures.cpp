// Which of a run's pictures shows what a criterion asks about.
#include "course/criterion_pictures.h"

#include <algorithm>
#include <utility>

#include "report/pictures/charts.h"
#include "report/pictures/costs.h"
#include "report/pictures/divergence.h"
#include "report/pictures/exchanges.h"
#include "report/pictures/requests.h"
#include "report/pictures/show.h"

namespace cudalab::course {
namespace {

using lab::Row;

// Words in the names of counters, and the accesses that those count.
struct CountedAccess {
  std::string_view word;
  AccessKind kind;
};
constexpr CountedAccess kCountedAccesses[]{
    {"_ld", AccessKind::kLoad},  {"_load", AccessKind::kLoad},   {"async_copy", AccessKind::kLoad},
    {"_st", AccessKind::kStore}, {"_atom", AccessKind::kAtomic}, {"_red", AccessKind::kReduction},
};

}  // namespace

const LineAccess* worst_counted(std::string_view counter, const std::vector<LineAccess>& accesses) {
  const auto says = [counter](std::string_view word) { return counter.find(word) != std::string_view::npos; };
  const LineAccess* found = nullptr;
  const auto cost = [](const LineAccess& access) {
    return std::pair(access.transactions - access.fewest_transactions, access.requests);
  };
  for (const LineAccess& access : accesses) {
    const bool in_space = (says("shared") && access.space == MemorySpace::kShared) ||
                          (says("global") && access.space == MemorySpace::kGlobal);
    const bool is_kind = std::ranges::any_of(kCountedAccesses, [&](const CountedAccess& each) {
      return each.kind == access.kind && says(each.word);
    });
    if (in_space && is_kind && (!found || cost(access) > cost(*found))) found = &access;
  }
  return found;
}

namespace {

bool is_of(const LineRequests& line, const LineAccess& access) {
  return line.where == access.where && line.space == access.space && line.kind == access.kind;
}

// A request of the line that the criterion is about.
std::optional<report::Picture> picture_of_request(const LineAccess* access, const Row& row) {
  if (!access || !row.recording) return std::nullopt;
  for (const LineRequests& line : row.recording->lines)
    if (is_of(line, *access) && !line.first.empty())
      return report::request_picture(line, report::telling_request(line));
  return std::nullopt;
}

std::optional<report::Picture> picture_of_lanes(const Row& row) {
  const WarpPaths* warp = row.recording ? report::telling_warp(*row.recording, row.source, 0) : nullptr;
  return warp ? std::optional(report::divergence_picture(*warp)) : std::nullopt;
}

// Who gives to whom; where nobody does, what the lanes ask of memory instead.
std::optional<report::Picture> picture_of_exchanges(const Row& row) {
  if (!row.recording) return std::nullopt;
  if (const auto lines = report::telling_exchanges(*row.recording, row.source, 0); !lines.empty())
    return report::exchanges_picture(*lines.front());
  for (const MemorySpace space : {MemorySpace::kShared, MemorySpace::kGlobal})
    if (const LineRequests* line = report::telling_line(row, space, 0))
      return report::request_picture(*line, report::telling_request(*line));
  return std::nullopt;
}

std::optional<report::Picture> picture_of_limits(const Row& row) { return report::limits_picture(row); }

std::optional<report::Picture> picture_of_streams(const Row& row) {
  return row.program ? report::timeline_picture(row.program->log) : std::nullopt;
}

// What criteria are about whose values no single access makes up.
struct Subject {
  std::string_view word;
  std::optional<report::Picture> (*picture)(const Row& row);
};
constexpr Subject kSubjects[]{
    {"divergent", picture_of_lanes},          {"active_lanes", picture_of_lanes},
    {"lane_exchanges", picture_of_exchanges}, {"texture", picture_of_limits},
    {"occupancy", report::occupancy_picture}, {"predicted_ms", picture_of_limits},
    {"program/", picture_of_streams},         {"extra/", picture_of_streams},
};

}  // namespace

std::optional<report::Picture> picture_for(std::string_view value, const Row& row) {
  std::optional<report::Picture> picture = picture_of_request(worst_counted(value, row.accesses), row);
  for (const Subject& subject : kSubjects)
    if (!picture && value.find(subject.word) != std::string_view::npos) picture = subject.picture(row);
  return picture;
}

}  // namespace cudalab::course

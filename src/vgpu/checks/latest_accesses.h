// The latest write and the latest read of each granule of global memory by kernels that others may run
// beside: what the races between a kernel and those it launched, and among these, are found with.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "vgpu/checks/observed_access.h"

namespace cudalab::vgpu {

struct PastAccess {
  std::uint32_t who = 0;     // a number that the table's owner gives: a block, a kernel
  std::uint32_t tick = 0;    // of its block; 0: there was none
  std::uint32_t record = 0;  // shadow.h
  bool was_write = false;
};

class LatestAccesses {
 public:
  bool empty() const { return granules_.empty(); }
  void note(const ObservedAccess& access, std::uint32_t who, std::uint32_t tick);

  // Where an access meets an earlier one that `is_unordered(PastAccess)` holds of, one of the two writing and
  // not both atomic or volatile.
  struct Meeting {
    std::int64_t granule;  // relative to the first lane's
    int lane;
    PastAccess earlier;
  };
  template <class IsUnordered>
  std::optional<Meeting> first_race(const ObservedAccess& access, IsUnordered is_unordered) const;

 private:
  static constexpr std::size_t kMost = 1 << 18;  // granules; what comes later is not watched
  struct Granule {
    PastAccess write, read;
  };
  // Calls visit(granule relative to the first lane's, its number in all of memory, the lane) for each
  // granule.
  template <class Visit>
  static void for_each_granule(const ObservedAccess& access, Visit visit);

  std::unordered_map<std::uint64_t, Granule> granules_;  // by their numbers
};

template <class Visit>
void LatestAccesses::for_each_granule(const ObservedAccess& access, Visit visit) {
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::int64_t granule = span.first + g;
      const auto number = (access.base >> access.granule_shift) + static_cast<std::uint64_t>(granule);
      visit(granule, number, access.footprint->lane[span.lanes + g]);
    }
}

inline void LatestAccesses::note(const ObservedAccess& access, std::uint32_t who, std::uint32_t tick) {
  for_each_granule(access, [&](std::int64_t, std::uint64_t number, std::uint32_t lane) {
    if (granules_.size() >= kMost && !granules_.contains(number)) return;
    Granule& granule = granules_[number];
    (access.writes() ? granule.write : granule.read) = {who, tick, access.record + lane, access.writes()};
  });
}

template <class IsUnordered>
std::optional<LatestAccesses::Meeting> LatestAccesses::first_race(const ObservedAccess& access,
                                                                  IsUnordered is_unordered) const {
  std::optional<Meeting> met;
  if (granules_.empty()) return met;
  for_each_granule(access, [&](std::int64_t granule, std::uint64_t number, std::uint32_t lane) {
    if (met) return;
    const auto found = granules_.find(number);
    if (found == granules_.end()) return;
    for (const PastAccess& earlier : {found->second.write, found->second.read}) {
      const bool both_atomic = access.synchronises() && (earlier.record & (kAtomic | kStrong));
      const bool can_race =
          earlier.tick != 0 && (earlier.was_write || access.writes()) && !both_atomic && !met;
      if (can_race && is_unordered(earlier)) met = {granule, static_cast<int>(lane >> kLaneShift), earlier};
    }
  });
  return met;
}

}  // namespace cudalab::vgpu

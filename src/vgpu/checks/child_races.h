// Finds races between a kernel and the kernels that it launches, and among those.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vgpu/checks/block_clock.h"
#include "vgpu/checks/hazard_log.h"

namespace cudalab::vgpu {

// The latest write and the latest read of each granule of global memory by kernels that others may run
// beside: what the races between a kernel and those it launched, and among these, are found with.

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

// What a kernel that launches others did in global memory, and whether those it launched race with it: a
// child runs beside its parent, and nothing that the parent can do waits for it (CUDA dynamic parallelism 2).
//
// A child sees what the thread that launched it had seen. Of each granule the parent's latest write and
// latest read are kept; accesses of other blocks count as seen where the launching one has taken over
// anything from others at all. So a race may be missed, none is made up.

// When a block launched: what came before is in the past of the child.
struct LaunchMoment {
  std::uint32_t block = 0, warp = 0;  // by their numbers
  bool has_taken_over = false;
  std::uint32_t settled = 0;
  BlockClock::Ticks seen{};
};

class ParentAccesses : public std::enable_shared_from_this<ParentAccesses> {
 public:
  void note(const ObservedAccess& access, std::uint32_t block, std::uint32_t tick) {
    accesses_.note(access, block, tick);
  }
  // An access of a child that was launched at that moment.
  void check(const ObservedAccess& access, const LaunchMoment& moment, HazardLog& log) const;

 private:
  LatestAccesses accesses_;  // by block
};

// What a child must know of its parent.
struct Birth {
  std::shared_ptr<const ParentAccesses> parent;
  LaunchMoment moment;
};

// Races between kernels that kernels launched. Two children of one kernel, and what descends from them, run
// side by side unless both went into one stream; each block has a default stream of its own (CUDA dynamic
// parallelism 2). The interpreter runs them one after the other, so that what a later one meets is an earlier
// one's.
//
// Where a kernel lets streams wait for events, its children count as ordered. So a race may be missed, none
// is made up.

// What work is in order with: what went into the same queue.
struct LaunchQueue {
  std::uint64_t block = 0, stream = 0;  // a default stream: the block's number + 1, and 0
  friend bool operator==(const LaunchQueue&, const LaunchQueue&) = default;
  bool is_default() const { return block != 0; }
};

class SiblingRaces {
 public:
  static constexpr std::uint32_t kFirst = 0;  // the kernel that the host launched
  // A kernel that `parent` launched, where `has_company`: others of its children, or of a kernel above, may
  // run at the same time. Returns the child's number.
  std::uint32_t add(std::uint32_t parent, const LaunchQueue& queue, const SourceLine& where,
                    bool has_company);
  bool has_company(std::uint32_t kernel) const { return kernels_[kernel].has_company; }

  void observe(const ObservedAccess& access, std::uint32_t kernel, std::uint32_t tick, HazardLog& log);

 private:
  struct Kernel {
    std::uint32_t parent = kFirst, depth = 0;
    LaunchQueue queue;
    SourceLine where;  // it was launched
    bool has_company = false;
  };
  // The two above them, or they themselves, that one kernel launched; the same one where one descends from
  // the other.
  std::pair<std::uint32_t, std::uint32_t> siblings_above(std::uint32_t one, std::uint32_t other) const;
  bool are_unordered(std::uint32_t one, std::uint32_t other) const;
  void report(const ObservedAccess& access, const LatestAccesses::Meeting& met, std::uint32_t kernel,
              HazardLog& log) const;

  std::vector<Kernel> kernels_{{}};
  LatestAccesses accesses_;  // by kernel
};

}  // namespace cudalab::vgpu

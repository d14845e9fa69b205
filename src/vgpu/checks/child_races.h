// Finds races between a kernel and the kernels that it launches, and among the launched kernels.
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

// Stores the latest write and the latest read of each granule of global memory by kernels that may run
// concurrently.

struct PastAccess {
  std::uint32_t who = 0;     // owner-defined number: a block or a kernel
  std::uint32_t tick = 0;    // of its block; 0: no access
  std::uint32_t record = 0;  // shadow.h
  bool was_write = false;
};

class LatestAccesses {
 public:
  bool empty() const { return granules_.empty(); }
  void note(const ObservedAccess& access, std::uint32_t who, std::uint32_t tick);

  // An access and an earlier unordered one: is_unordered(PastAccess) holds, at least one of them writes, and
  // they are not both atomic or volatile.
  struct Meeting {
    std::int64_t granule;  // relative to the first lane's
    int lane;
    PastAccess earlier;
  };
  template <class IsUnordered>
  std::optional<Meeting> first_race(const ObservedAccess& access, IsUnordered is_unordered) const;

 private:
  static constexpr std::size_t kMost = 1 << 18;  // granules; later ones are not watched
  struct Granule {
    PastAccess write, read;
  };
  // Calls visit(granule relative to the first lane's, granule number in global memory, lane) for each
  // granule.
  template <class Visit>
  static void for_each_granule(const ObservedAccess& access, Visit visit);

  std::unordered_map<std::uint64_t, Granule> granules_;  // by granule number
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

// The accesses of a launching kernel to global memory, for finding races with its children: a child runs
// concurrently with its parent, and the parent cannot wait for it (CUDA dynamic parallelism 2).
//
// A child has seen what the launching thread had seen. Only the parent's latest write and latest read of each
// granule are kept. Accesses of other blocks count as seen if the launching block has acquired anything from
// other blocks. Races may therefore be missed; none is falsely reported.

// When a block launched: earlier accesses are ordered before the child.
struct LaunchMoment {
  std::uint32_t block = 0, warp = 0;  // numbers
  bool has_taken_over = false;
  std::uint32_t settled = 0;
  BlockClock::Ticks seen{};
};

class ParentAccesses : public std::enable_shared_from_this<ParentAccesses> {
 public:
  void note(const ObservedAccess& access, std::uint32_t block, std::uint32_t tick) {
    accesses_.note(access, block, tick);
  }
  // Checks an access of a child that was launched at `moment`.
  void check(const ObservedAccess& access, const LaunchMoment& moment, HazardLog& log) const;

 private:
  LatestAccesses accesses_;  // by block
};

// The facts about its parent that a child kernel must know.
struct Birth {
  std::shared_ptr<const ParentAccesses> parent;
  LaunchMoment moment;
};

// Finds races between launched kernels. Two children of one kernel, and their descendants, run concurrently
// unless both were launched into one stream; each block has its own default stream (CUDA dynamic parallelism
// 2). The interpreter runs them one after the other, so a later one meets accesses of an earlier one.
//
// If a kernel makes streams wait for events, its children count as ordered. Races may therefore be missed;
// none is falsely reported.

// Identifies a queue; work in the same queue is ordered.
struct LaunchQueue {
  std::uint64_t block = 0, stream = 0;  // default stream: the block's number + 1, and 0
  friend bool operator==(const LaunchQueue&, const LaunchQueue&) = default;
  bool is_default() const { return block != 0; }
};

class SiblingRaces {
 public:
  static constexpr std::uint32_t kFirst = 0;  // the kernel launched by the host
  // Adds a kernel that `parent` launched. `has_company`: other children of the parent, or of a kernel above,
  // may run at the same time. Returns the child's number.
  std::uint32_t add(std::uint32_t parent, const LaunchQueue& queue, const SourceLine& where,
                    bool has_company);
  bool has_company(std::uint32_t kernel) const { return kernels_[kernel].has_company; }

  void observe(const ObservedAccess& access, std::uint32_t kernel, std::uint32_t tick, HazardLog& log);

 private:
  struct Kernel {
    std::uint32_t parent = kFirst, depth = 0;
    LaunchQueue queue;
    SourceLine where;  // source line of the launch
    bool has_company = false;
  };
  // The ancestors (or the kernels themselves) that one kernel launched; twice the same kernel if one descends
  // from the other.
  std::pair<std::uint32_t, std::uint32_t> siblings_above(std::uint32_t one, std::uint32_t other) const;
  bool are_unordered(std::uint32_t one, std::uint32_t other) const;
  void report(const ObservedAccess& access, const LatestAccesses::Meeting& met, std::uint32_t kernel,
              HazardLog& log) const;

  std::vector<Kernel> kernels_{{}};
  LatestAccesses accesses_;  // by kernel
};

}  // namespace cudalab::vgpu

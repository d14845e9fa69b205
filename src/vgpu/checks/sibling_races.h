// Races between kernels that kernels launched. Two children of one kernel, and what descends from them, run
// side by side unless both went into one stream; each block has a default stream of its own (CUDA dynamic
// parallelism 2). The interpreter runs them one after the other, so that what a later one meets is an earlier
// one's.
//
// Where a kernel lets streams wait for events, its children count as ordered. So a race may be missed, none
// is made up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/latest_accesses.h"

namespace cudalab::vgpu {

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

// What a kernel that launches others did in global memory, and whether those it launched race with it: a
// child runs beside its parent, and nothing that the parent can do waits for it (CUDA dynamic parallelism 2).
//
// A child sees what the thread that launched it had seen. Of each granule the parent's latest write and
// latest read are kept; accesses of other blocks count as seen where the launching one has taken over
// anything from others at all. So a race may be missed, none is made up.
#pragma once

#include <cstdint>
#include <memory>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/latest_accesses.h"
#include "vgpu/checks/order/block_clock.h"

namespace cudalab::vgpu {

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

}  // namespace cudalab::vgpu

// The order that the mbarriers of a block make: from those who arrive at one to those who wait there, and
// from its initialisation to its uses.
#pragma once

#include <unordered_map>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/order/cluster_clock.h"

namespace cudalab::vgpu {

class MbarrierOrder {
 public:
  void start_block() { objects_.clear(); }
  // Objects are known by their byte of shared memory. The clocks are those of the acting warp's block.
  void initialise(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset,
                  const ClusterClock& clock, const BlockClock& own);
  // A use that the initialisation does not come before is a race.
  void use(const Inst* inst, const Warp& warp, int lane, std::uint64_t offset, const ClusterClock& clock,
           HazardLog& log) const;
  void arrive(const Warp& warp, std::uint64_t offset, ClusterClock& clock);
  void complete_phase(std::uint64_t offset);
  void pass(const Warp& warp, std::uint64_t offset, ClusterClock& clock) const;

 private:
  struct Object {
    std::uint32_t thread = 0, rank = 0, tick = 0, line = 0;  // of its initialisation
    SyncPoint arriving, complete;  // of the current and of the latest complete phase
  };
  std::unordered_map<std::uint64_t, Object> objects_;
};

}  // namespace cudalab::vgpu

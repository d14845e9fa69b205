// Finds accesses to a block's shared memory by threads of different blocks of its cluster, or by threads of
// another one, that nothing orders.
#pragma once

#include <vector>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/checks/observed_access.h"
#include "vgpu/checks/order/cluster_clock.h"

namespace cudalab::vgpu {

class ClusterRaces {
 public:
  explicit ClusterRaces(std::size_t granules) : granules_(granules) {}
  void start_block();

  // `access`: of the owner's shared memory, as if by one of its own threads; `clock`, `own`: of the block
  // that the accessing warp is in. Before the data moves.
  void observe(const ObservedAccess& access, std::uint32_t owner, const ClusterClock& clock,
               const BlockClock& own, HazardLog& log);

  // A bulk copy has arrived, on behalf of a thread of the owner.
  void remember_landing(const ObservedAccess& access, std::uint32_t owner, const BlockClock& own);

 private:
  struct Access {
    std::uint32_t tick = 0, record = 0, rank = 0;  // tick 0: none
  };
  // The last write, the first read since, and the last one by another thread than that.
  struct Granule {
    Access write, read, other;
  };
  struct Visit;
  const Access* find_conflict(const Visit& visit, const Granule& granule, std::uint32_t lane) const;
  void report(const Visit& visit, const Access& earlier, bool was_write, std::uint32_t lane,
              std::int64_t granule) const;

  std::vector<Granule> granules_;
};

}  // namespace cudalab::vgpu

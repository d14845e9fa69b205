// Who has waited for whom among the blocks of a cluster: what a block's warps have seen of the others', by
// way of the cluster's barrier and of mbarriers.
//
// What one warp of a block has seen, all its warps have: a race between blocks may be missed, none is made
// up.
#pragma once

#include <vector>

#include "vgpu/checks/order/block_clock.h"

namespace cudalab::vgpu {

// What those who arrive somewhere hand to those who wait there: by rank in the cluster, how far each warp had
// come.
struct SyncPoint {
  std::vector<BlockClock::Ticks> seen;
  BlockClock::Ticks& of(std::uint32_t rank) {
    if (seen.size() <= rank) seen.resize(rank + 1);
    return seen[rank];
  }
};

class ClusterClock {
 public:
  explicit ClusterClock(BlockClock& own) : own_(&own) {}
  void start_block(std::uint32_t rank);
  void arrive(std::uint32_t warp, SyncPoint& at);
  void pass(std::uint32_t warp, const SyncPoint& at);

  std::uint32_t rank() const { return rank_; }
  // Whether an access by a warp of the block with that rank, at a tick of that block's clock, comes before
  // what `warp` does now.
  bool has_seen(std::uint32_t warp, std::uint32_t rank, std::uint32_t other_warp, std::uint32_t tick) const;
  bool has_heard_of(std::uint32_t rank) const { return rank == rank_ || rank < others_.seen.size(); }

 private:
  BlockClock* own_;
  std::uint32_t rank_ = 0;
  SyncPoint others_;
};

}  // namespace cudalab::vgpu

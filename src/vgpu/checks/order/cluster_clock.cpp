#include "vgpu/checks/order/cluster_clock.h"

#include <algorithm>

namespace cudalab::vgpu {
namespace {

void include(BlockClock::Ticks& to, const BlockClock::Ticks& from) {
  for (std::size_t warp = 0; warp < to.size(); ++warp) to[warp] = std::max(to[warp], from[warp]);
}

}  // namespace

void ClusterClock::start_block(std::uint32_t rank) {
  rank_ = rank;
  others_.seen.clear();
}

void ClusterClock::arrive(std::uint32_t warp, SyncPoint& at) {
  own_->contribute(warp, at.of(rank_));
  for (std::uint32_t rank = 0; rank < others_.seen.size(); ++rank)
    if (rank != rank_) include(at.of(rank), others_.seen[rank]);
}

void ClusterClock::pass(std::uint32_t warp, const SyncPoint& at) {
  for (std::uint32_t rank = 0; rank < at.seen.size(); ++rank) {
    if (rank == rank_)
      own_->absorb(warp, at.seen[rank]);
    else
      include(others_.of(rank), at.seen[rank]);
  }
}

bool ClusterClock::has_seen(std::uint32_t warp, std::uint32_t rank, std::uint32_t other_warp,
                            std::uint32_t tick) const {
  if (rank == rank_) return own_->has_seen(warp, other_warp, tick);
  return rank < others_.seen.size() && tick <= others_.seen[rank][other_warp];
}

}  // namespace cudalab::vgpu

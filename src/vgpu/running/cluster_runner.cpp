#include "vgpu/running/cluster_runner.h"

#include <algorithm>

#include "vgpu/execute/cluster.h"

namespace cudalab::vgpu {

ClusterRunner::ClusterRunner(Launch& launch, ClusterRunner* counting) {
  for (std::uint64_t rank = 0; rank < launch.cluster.volume(); ++rank) {
    BlockRunner* first = counting ? counting->blocks_.front().get() : rank ? blocks_.front().get() : nullptr;
    blocks_.push_back(std::make_unique<BlockRunner>(launch, first));
    cluster_.blocks.push_back(&blocks_.back()->block());
  }
}

void ClusterRunner::begin(std::uint64_t cluster) {
  cluster_.is_awaited = false;
  for (std::uint32_t rank = 0; rank < blocks_.size(); ++rank)
    blocks_[rank]->begin(cluster * blocks_.size() + rank, cluster_, rank);
}

void ClusterRunner::run(std::uint64_t cluster) {
  begin(cluster);
  while (!finished()) run_turn();
}

bool ClusterRunner::finished() const {
  return std::ranges::all_of(blocks_, [](const auto& block) { return block->finished(); });
}

bool ClusterRunner::run_turn() {
  bool progress = false;
  BlockRunner* waiting = nullptr;
  bool all_wait = true;
  for (const auto& block : blocks_) {
    if (block->finished()) continue;
    const Turn turn = block->run_turn();
    progress = progress || turn == Turn::kProgress;
    all_wait = all_wait && turn == Turn::kWaits;
    if (turn == Turn::kWaits && !waiting) waiting = block.get();
  }
  if (cluster_.is_awaited && open_cluster_barrier(cluster_)) return true;
  if (waiting && all_wait) waiting->report_deadlock();
  return progress || finished();
}

}  // namespace cudalab::vgpu

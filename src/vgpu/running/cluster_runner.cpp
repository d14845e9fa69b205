// Runs the clusters of a launch on one host thread: one after another, or several resident ones in turn if
// blocks communicate.
#include "vgpu/running/cluster_runner.h"

#include <algorithm>

#include "vgpu/execute/cluster.h"
#include "vgpu/time/occupancy.h"

namespace cudalab::vgpu {
namespace {

// Host memory for one more resident block.
std::uint64_t host_bytes_of_block(const Launch& launch) {
  const FunctionCode& function = *launch.program->functions[launch.code->function];
  const std::uint64_t per_warp = function.frame_bytes + std::uint64_t{launch.code->local_bytes} * kWarpSize +
                                 launch.program->special_bytes;
  // The checks add the same amount for local memory, and a row of shadow.h for each granule of shared memory.
  const std::uint64_t checked_local = std::uint64_t{launch.code->local_bytes} * kWarpSize;
  const std::uint64_t shadow = (launch.shared_bytes >> launch.checks.granule_shift) * std::uint64_t{24};
  return warps_of(launch.request->spec.block) * (per_warp + checked_local) + launch.shared_bytes + shadow + 1;
}

}  // namespace

std::uint64_t blocks_on_card(const Launch& launch) {
  return std::uint64_t{launch.card->multiprocessors} *
         static_cast<std::uint64_t>(occupancy_of(launch).blocks);
}

ResidentClusters::ResidentClusters(Launch& launch, ClusterRunner& first) : launch_(launch), free_{&first} {
  constexpr std::uint64_t kHostBytes = 1ull << 31;
  const std::uint64_t blocks = std::min(blocks_on_card(launch), kHostBytes / host_bytes_of_block(launch));
  most_ = std::max<std::uint64_t>(1, blocks / launch.cluster.volume());
}

ClusterRunner* ResidentClusters::free_runner() {
  if (free_.empty()) {
    others_.push_back(std::make_unique<ClusterRunner>(launch_, residents_.front().runner));
    return others_.back().get();
  }
  ClusterRunner* runner = free_.back();
  free_.pop_back();
  return runner;
}

bool ResidentClusters::run_until_it_waits(const Resident& resident) {
  current_ = resident.cluster;
  while (!resident.runner->finished())
    if (!resident.runner->run_turn()) {
      have_waited_ = true;
      return false;
    }
  return true;
}

void ResidentClusters::run(std::uint64_t clusters) {
  std::uint64_t next = 0;
  std::size_t turn = 0;
  while (next < clusters || !residents_.empty()) {
    if (turn == residents_.size()) {
      if (next < clusters && residents_.size() < most_) {
        ClusterRunner* runner = free_runner();
        runner->begin(next);
        residents_.push_back({runner, next++});
      } else {
        turn = 0;
      }
    }
    if (run_until_it_waits(residents_[turn])) {
      // If blocks take turns, the first one ends when the others are nearly done, so it does not show the
      // pace of the launch.
      if (launch_.request->options.pace && !have_waited_) launch_.request->options.pace->one_more();
      free_.push_back(residents_[turn].runner);
      residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      ++turn;
    }
  }
}

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

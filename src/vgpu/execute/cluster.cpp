#include "vgpu/execute/cluster.h"

#include <algorithm>
#include <bit>

#include "messages/vgpu.h"
#include "vgpu/execute/paths.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

struct Arrivals {
  std::uint64_t running = 0, arrived = 0;  // threads
};
Arrivals arrivals_of(const Cluster& cluster) {
  Arrivals all;
  for (const Block* block : cluster.blocks) {
    all.running += block->live_threads;
    for (const Warp& warp : block->warps)
      all.arrived += static_cast<std::uint64_t>(std::popcount(warp.at_cluster_barrier & warp.live));
  }
  return all;
}

void release(Warp& warp) {
  warp.at_cluster_barrier = 0;
  for (Path& path : warp.parked)
    if (path.wait == Wait::kCluster) path.wait = Wait::kNone;
}

}  // namespace

bool open_cluster_barrier(Cluster& cluster) {
  const Arrivals all = arrivals_of(cluster);
  if (all.arrived < all.running) return false;
  cluster.is_awaited = false;
  cluster.blocks.front()->instruments.tell(ClusterOpening{});
  for (Block* block : cluster.blocks)
    for (Warp& warp : block->warps) release(warp);
  return true;
}

SharedPlace shared_place_of(const Warp& warp, std::uint64_t address) {
  const std::uint64_t offset = address - kSharedWindow, window = offset / kRankBytes;
  const auto& blocks = warp.block->cluster->blocks;
  SharedPlace place{window ? window - 1 : warp.block->rank, offset % kRankBytes, nullptr};
  if (place.rank < blocks.size()) place.block = blocks[place.rank];
  return place;
}

void report_incomplete_cluster(Warp& warp, const Path& waits) {
  const Arrivals all = arrivals_of(*warp.block->cluster);
  Hazard hazard = hazard_at(waits.pc, warp, std::countr_zero(waits.mask), HazardKind::kDeadlock);
  hazard.what = msg::cluster_barrier_incomplete(all.arrived, all.running);
  hazard.fix = msg::advice_same_cluster_barrier();
  throw KernelFault{std::move(hazard)};
}

namespace cluster {
namespace {

[[noreturn]] void report_misuse(const Inst* inst, Warp& warp, std::uint32_t lanes, Message what,
                                Message fix) {
  Hazard hazard = hazard_at(inst, warp, std::countr_zero(lanes), HazardKind::kTrap);
  hazard.what = std::move(what);
  hazard.fix = std::move(fix);
  throw KernelFault{std::move(hazard)};
}

}  // namespace

const Inst* arrive(const Inst* inst, Warp& warp) {
  if (const std::uint32_t twice = warp.exec & warp.owes_cluster_wait)
    report_misuse(inst, warp, twice, msg::cluster_arrives_twice(), msg::advice_cluster_wait_each());
  warp.at_cluster_barrier |= warp.exec;
  warp.owes_cluster_wait |= warp.exec;
  warp.block->cluster->is_awaited = true;
  tell(warp, ClusterArrival{warp, inst->imm == kRelaxed});
  return inst + 1;
}

const Inst* wait(const Inst* inst, Warp& warp) {
  if (const std::uint32_t missing = warp.active & ~warp.owes_cluster_wait)
    report_misuse(inst, warp, missing, msg::cluster_waits_without_arrival(),
                  msg::advice_cluster_arrive_first());
  if (warp.active & warp.at_cluster_barrier) {
    park(warp, {inst, warp.active, warp.frame, Wait::kCluster, 0});
    return next_path(warp);
  }
  warp.owes_cluster_wait &= ~warp.active;
  tell(warp, ClusterPass{warp});
  return inst + 1;
}

const Inst* map_address(const Inst* inst, Warp& warp) {
  const auto* from = lanes_at<const std::uint64_t>(warp, inst->a);
  const auto* rank = lanes_at<const std::uint32_t>(warp, inst->b);
  auto* to = lanes_at<std::uint64_t>(warp, inst->d);
  const std::uint64_t window = inst->imm;
  for_each_lane(warp.exec, [&](int lane) {
    to[lane] = window + (rank[lane] + std::uint64_t{1}) * kRankBytes + (from[lane] - window) % kRankBytes;
  });
  return inst + 1;
}

const Inst* rank_of_address(const Inst* inst, Warp& warp) {
  const auto* from = lanes_at<const std::uint64_t>(warp, inst->a);
  auto* to = lanes_at<std::uint32_t>(warp, inst->d);
  for_each_lane(warp.exec, [&](int lane) {
    to[lane] = static_cast<std::uint32_t>(shared_place_of(warp, from[lane] - inst->imm + kSharedWindow).rank);
  });
  return inst + 1;
}

}  // namespace cluster
}  // namespace cudalab::vgpu

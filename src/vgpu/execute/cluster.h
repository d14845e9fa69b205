// Executes cluster instructions: the cluster barrier, and addresses in the shared memory of other blocks
// (distributed shared memory).
#pragma once

#include "vgpu/block.h"

namespace cudalab::vgpu {

// Opens the barrier if all running threads of the cluster have arrived. Returns whether it did.
bool open_cluster_barrier(Cluster& cluster);

// A generic address in the shared memory of a block of the warp's cluster, resolved to the block and the byte
// offset.
struct SharedPlace {
  std::uint64_t rank = 0;  // from the address; may be outside the cluster
  std::uint64_t offset = 0;
  Block* block = nullptr;  // nullptr: no such block
};
SharedPlace shared_place_of(const Warp& warp, std::uint64_t address);

// Reports a deadlock at the cluster barrier: the path `waits`, but some threads of the cluster never arrive.
[[noreturn]] void report_incomplete_cluster(Warp& warp, const Path& waits);

namespace cluster {

// barrier.cluster.arrive; imm: kRelaxed.
inline constexpr std::uint64_t kRelaxed = 1;
const Inst* arrive(const Inst* inst, Warp& warp);
const Inst* wait(const Inst* inst, Warp& warp);
// fence.mbarrier_init; only the checks use it.
const Inst* fence_mbarrier_init(const Inst* inst, Warp& warp);

// mapa: d = address a, moved to the shared memory of the block with rank b; imm: start of a's window.
const Inst* map_address(const Inst* inst, Warp& warp);
// getctarank: d = rank of the block whose shared memory contains a.
const Inst* rank_of_address(const Inst* inst, Warp& warp);

}  // namespace cluster
}  // namespace cudalab::vgpu

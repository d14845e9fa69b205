// What the blocks of a cluster have in common: their barrier, and addresses in each other's shared memory.
#pragma once

#include "vgpu/block.h"

namespace cudalab::vgpu {

// Lets everybody go on who waits at the barrier, where all running threads of the cluster have arrived.
bool open_cluster_barrier(Cluster& cluster);

// The shared memory of a block of the warp's cluster that a generic address means: whose it is, and which
// byte of it.
struct SharedPlace {
  std::uint64_t rank = 0;  // as the address says; perhaps beyond the cluster
  std::uint64_t offset = 0;
  Block* block = nullptr;  // nullptr: no such block
};
SharedPlace shared_place_of(const Warp& warp, std::uint64_t address);

// `waits` for nobody any more: the deadlock of a block whose cluster's barrier stays closed.
[[noreturn]] void report_incomplete_cluster(Warp& warp, const Path& waits);

namespace cluster {

// barrier.cluster.arrive; imm: kRelaxed.
inline constexpr std::uint64_t kRelaxed = 1;
const Inst* arrive(const Inst* inst, Warp& warp);
const Inst* wait(const Inst* inst, Warp& warp);

// mapa: d = the address a, in a window that begins at imm, in the shared memory of the block of rank b.
const Inst* map_address(const Inst* inst, Warp& warp);
// getctarank: d = the rank of the block in whose shared memory a is.
const Inst* rank_of_address(const Inst* inst, Warp& warp);

}  // namespace cluster
}  // namespace cudalab::vgpu

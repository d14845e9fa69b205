// Computes occupancy by the rules of cuda_occupancy.h, which NVIDIA ships with the toolkit (CUDA 13.0). The
// limits come from the GPU's file.
#include "vgpu/time/occupancy.h"

#include <cmath>
#include <limits>

#include "core/alignment.h"
#include "vgpu/block.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

// A warp gets its registers from its scheduler's share, in allocation units.
std::uint64_t blocks_by_registers(const Card& card, std::uint64_t registers, std::uint64_t warps) {
  if (registers == 0) return kNoLimit;
  const std::uint64_t of_warp = round_up(registers * kWarpSize, card.register_unit);
  const std::uint64_t checked_of_block = of_warp * round_up(warps, card.schedulers);
  if (checked_of_block > card.registers_per_block || registers > card.max_registers_per_thread) return 0;
  const std::uint64_t of_scheduler = card.registers_per_multiprocessor / card.schedulers;
  return of_scheduler / of_warp * card.schedulers / warps;
}

std::uint64_t blocks_by_shared(const Card& card, std::uint64_t bytes) {
  const std::uint64_t of_block = round_up(bytes + card.shared_reserved_per_block, card.shared_unit);
  if (bytes > card.shared_per_block_optin) return 0;
  return of_block == 0 ? kNoLimit : card.shared_per_multiprocessor / of_block;
}

struct Bound {
  OccupancyLimit limit;
  std::uint64_t blocks;
};

// The limit that allows the fewest blocks. In a tie the first is named, because a user cannot raise the GPU's
// thread limit.
Bound lowest(const Card& card, const std::optional<KernelResources>& resources, const LaunchSpec& spec,
             std::uint64_t static_shared_bytes) {
  const std::uint64_t warps = warps_of(spec.block);
  const std::uint64_t registers = resources ? static_cast<std::uint64_t>(resources->registers) : 0;
  const std::uint64_t own_shared = resources ? resources->shared_bytes : static_shared_bytes;
  const Bound bounds[] = {
      {OccupancyLimit::kThreads, card.max_threads_per_multiprocessor / kWarpSize / warps},
      {OccupancyLimit::kBlocks, card.max_blocks_per_multiprocessor},
      {OccupancyLimit::kRegisters, blocks_by_registers(card, registers, warps)},
      {OccupancyLimit::kShared, blocks_by_shared(card, own_shared + spec.dynamic_shared_bytes)},
  };
  Bound least = bounds[0];
  for (const Bound& bound : bounds)
    if (bound.blocks < least.blocks) least = bound;
  return least;
}

void fill_in_waves(Occupancy& occupancy, const Card& card, double blocks) {
  const double held = static_cast<double>(occupancy.blocks) * card.multiprocessors;
  if (held == 0) return;
  occupancy.waves = blocks / held;
  occupancy.tail = std::ceil(occupancy.waves) - occupancy.waves;
  if (blocks < held) occupancy.limited_by = OccupancyLimit::kGrid;
}

}  // namespace

Occupancy occupancy_of(const Card& card, const std::optional<KernelResources>& resources,
                       const LaunchSpec& spec, std::uint64_t static_shared_bytes) {
  const Bound least = lowest(card, resources, spec, static_shared_bytes);
  Occupancy occupancy;
  occupancy.blocks = static_cast<int>(least.blocks);
  occupancy.warps = static_cast<int>(least.blocks * warps_of(spec.block));
  occupancy.most_warps = static_cast<int>(card.max_threads_per_multiprocessor / kWarpSize);
  occupancy.limited_by = least.limit;
  if (resources) occupancy.registers = resources->registers;
  fill_in_waves(occupancy, card, static_cast<double>(spec.grid.volume()));
  return occupancy;
}

std::uint64_t block_places(const Launch& launch) {
  const Card& card = *launch.card;
  const auto& resources = launch.kernel->resources;
  const std::uint64_t own = resources ? resources->shared_bytes : launch.kernel->static_shared_bytes;
  return std::min<std::uint64_t>(card.max_blocks_per_multiprocessor,
                                 blocks_by_shared(card, own + launch.request->spec.dynamic_shared_bytes));
}

Occupancy occupancy_of(const Launch& launch) {
  return occupancy_of(*launch.card, launch.kernel->resources, launch.request->spec,
                      launch.kernel->static_shared_bytes);
}

int registers_of_thread(const Launch& launch) {
  return launch.kernel->resources ? launch.kernel->resources->registers : 0;
}

}  // namespace cudalab::vgpu

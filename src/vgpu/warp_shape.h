// The shape of a warp, the same on every GPU since Volta (CUDA C++ Programming Guide), and loops over the
// lanes of a mask.
#pragma once

#include <bit>
#include <cstdint>

#include "core/dim3.h"

namespace cudalab::vgpu {

// Iterates over the lanes of a mask.

// Calls function(lane) for each lane of the mask, in ascending order.
template <class Function>
void for_each_lane(std::uint32_t lanes, Function function) {
  for (; lanes; lanes &= lanes - 1) function(std::countr_zero(lanes));
}

// Constants of every GPU since Volta (CUDA C++ Programming Guide, "Compute Capabilities").

inline constexpr int kWarpSize = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr int kBanks = 32;  // shared memory: bank = (byte address / 4) mod 32
inline constexpr int kBankBytes = 4;
inline constexpr int kSectorBytes = 32;  // the unit in which the L1 reads from the L2

// Warps of a block; the last one may have lanes without a thread.
constexpr std::uint64_t warps_of(const Dim3& block) { return (block.volume() + kWarpSize - 1) / kWarpSize; }

// The warp of a thread in a block of that shape.
constexpr std::uint32_t warp_of(const Dim3& block, const Dim3& thread) {
  return static_cast<std::uint32_t>(linear_index(block, thread) / kWarpSize);
}

}  // namespace cudalab::vgpu

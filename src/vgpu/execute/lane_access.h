// Accesses to memory by instructions that go through their lanes one by one: counts and checks them, and
// finds the memory. (Loads and stores have a faster way, opcodes/memory.level.cpp.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/counters/patterns.h"

namespace cudalab::vgpu {

using LanePointers = std::array<std::byte*, kWarpSize>;  // only those of the accessing lanes mean something

// The memory of the first lane where all lanes are inside one buffer, or all in shared memory; else nullptr,
// and each lane must be looked up with locate_lane.
std::byte* host_of(Warp& warp, SiteState& site, const Pattern& pattern, std::uint64_t base);

// Whether all lanes are in global memory, in whatever buffers.
bool is_all_global(const Pattern& pattern, std::uint64_t base);

// All of it: counts the access, shows it to the checks, and returns where the lanes' data is. Throws
// KernelFault where the card would report an error.
LanePointers access_lanes(const Inst* inst, Warp& warp, SiteState& site, const LaneAddresses& addresses,
                          std::uint32_t lanes, AccessMode mode);

}  // namespace cudalab::vgpu

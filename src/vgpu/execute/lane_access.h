// Finds the memory at an address, and checks and counts accesses that are executed lane by lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/counters/patterns.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Finds the memory at an address; throws with an explanation if the address is bad. The fast paths are in
// opcodes/memory.level.cpp. These functions run when a site accesses another allocation than before, or on a
// fault.

// The allocation that contains [first, last); caches it as the site's latest. nullptr if no single allocation
// does.
Allocation* find_allocation(Warp& warp, SiteState& site, std::uint64_t first, std::uint64_t last);

// The memory at one lane's generic address. Throws KernelFault if a GPU would report an error.
std::byte* locate_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                       AccessMode mode);

// Accesses by instructions that are executed lane by lane: counts and checks them, and finds the memory.
// (Ordinary loads and stores use the faster code of opcodes/memory.level.cpp.)

using LanePointers = std::array<std::byte*, kWarpSize>;  // valid for accessing lanes only

// The memory of the first lane if all lanes are in one buffer, or all in shared memory; else nullptr, and
// each lane must be looked up with locate_lane().
std::byte* host_of(Warp& warp, SiteState& site, const Pattern& pattern, std::uint64_t base);

// Whether all lanes are in global memory, possibly in different buffers.
bool is_all_global(const Pattern& pattern, std::uint64_t base);

// Counts the access, reports it to the checks, and returns the lanes' memory. Throws KernelFault if a GPU
// would report an error.
LanePointers access_lanes(const Inst* inst, Warp& warp, SiteState& site, const LaneAddresses& addresses,
                          std::uint32_t lanes, AccessMode mode);

}  // namespace cudalab::vgpu

// Finds the memory behind an address, checks and counts accesses that go lane by lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vgpu/counters/patterns.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// Finds the memory that an address means, and refuses bad addresses with the message that says why. The fast
// paths are in opcodes/memory.level.cpp; what is here runs when a site meets another allocation, or on a
// fault.

// The allocation that holds [first, last), which becomes the site's latest; nullptr where no single one does.
Allocation* find_allocation(Warp& warp, SiteState& site, std::uint64_t first, std::uint64_t last);

// One lane's memory by its generic address. Throws KernelFault where the card would report an error.
std::byte* locate_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                       AccessMode mode);

// Accesses to memory by instructions that go through their lanes one by one: counts and checks them, and
// finds the memory. (Loads and stores have a faster way, opcodes/memory.level.cpp.)

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

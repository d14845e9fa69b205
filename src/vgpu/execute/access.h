// Finds the memory that an address means, and refuses bad addresses with the message that says why. The fast
// paths are in opcodes/memory.level.cpp; what is here runs when a site meets another allocation, or on a
// fault.
#pragma once

#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The allocation that holds [first, last), which becomes the site's latest; nullptr where no single one does.
Allocation* find_allocation(Warp& warp, SiteState& site, std::uint64_t first, std::uint64_t last);

// One lane's memory by its generic address. Throws KernelFault where the card would report an error.
std::byte* locate_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                       AccessMode mode);

}  // namespace cudalab::vgpu

// What a memory instruction does besides moving data: learn address patterns, find memory, refuse bad
// addresses. The fast paths are in opcodes/memory.level.cpp; what is here runs once for each new pattern, or
// on a fault.
#pragma once

#include <cstdint>
#include <span>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

enum class AccessMode : std::uint8_t { kRead, kWrite, kReadWrite };

// Replaces a site's entry by the pattern of these addresses (generic, only active lanes count) and its cost.
Pattern& learn_pattern(SiteState& site, Pattern& entry, std::span<const std::uint64_t, kWarpSize> addresses,
                       std::uint32_t active, std::uint64_t residue);

// Adds the hits of a pattern to its site's totals.
void settle(SiteState& site, Pattern& entry);
void settle(SiteState& site);  // all of them

// The allocation that holds [first, last), which becomes the site's latest; nullptr where no single one does.
Allocation* find_allocation(Warp& warp, SiteState& site, std::uint64_t first, std::uint64_t last);

// One lane's memory by its generic address. Throws KernelFault where the card would report an error.
std::byte* locate_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                       AccessMode mode);

// Shows an access to the checks that are on, before the data moves. `base` is the generic address of the
// first active lane.
void observe_access(const Inst* inst, Warp& warp, const SiteState& site, const Pattern& pattern,
                    std::uint64_t base, AccessMode mode);
// The same for one lane, after locate_lane.
void observe_lane(const Inst* inst, Warp& warp, const SiteInfo& info, int lane, std::uint64_t address,
                  AccessMode mode);
inline void observe_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                         AccessMode mode) {
  observe_lane(inst, warp, *site.info, lane, address, mode);
}

}  // namespace cudalab::vgpu

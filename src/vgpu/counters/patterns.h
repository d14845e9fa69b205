// The patterns of a memory site: learns each new one with its cost, counts the repetitions, adds them up.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

using LaneAddresses = std::array<std::uint64_t, kWarpSize>;  // generic

// Replaces a site's entry by the pattern of these addresses (generic, only active lanes count) and its cost.
Pattern& learn_pattern(SiteState& site, Pattern& entry, std::span<const std::uint64_t, kWarpSize> addresses,
                       std::uint32_t active, std::uint64_t residue);

// Counts one access of the site; the pattern is valid until the site's next one.
const Pattern& count_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes);

// The shape of an access that is counted elsewhere, as a texture's; `bytes` of each lane. Valid until the
// site's next one.
const Pattern& shape_of_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes,
                               int bytes);

// Every pattern counts its own hits; this moves them into the site's totals.
void add_hits_to_totals(SiteState& site);

}  // namespace cudalab::vgpu

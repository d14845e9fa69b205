// The access patterns of a memory site: computes the cost of each new pattern once, counts its repetitions,
// and adds up the totals.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

using LaneAddresses = std::array<std::uint64_t, kWarpSize>;  // generic

// Index of the cached pattern that an access at this address may repeat.
inline std::size_t place_of(const SiteState& site, std::uint64_t base) {
  return base >> site.info->index_shift & (kPatternsPerSite - 1);
}

// An access that does not repeat the cached pattern of its index. Addresses are generic; only active lanes
// count.
struct NewAccess {
  const LaneAddresses& addresses;
  std::uint32_t active;
  std::uint64_t base;     // address of the first active lane
  std::uint32_t residue;  // of `base`; together with the offsets it decides the cost
};

// Counts the access as a pattern that the site has kept, or as a new one, whose cost is then computed.
Pattern& count_other(SiteState& site, const NewAccess& access);

// Counts one access of the site. The returned pattern is valid until the site's next access.
const Pattern& count_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes);

// The pattern of an access that is counted elsewhere, such as a texture fetch; `bytes` per lane. Valid until
// the site's next access.
const Pattern& shape_of_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes,
                               int bytes);

// Adds each pattern's own hits to the site's totals.
void add_hits_to_totals(SiteState& site);

}  // namespace cudalab::vgpu

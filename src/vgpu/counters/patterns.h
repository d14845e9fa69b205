// The patterns of a memory site: learns each new one with its cost, counts the repetitions, adds them up.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

using LaneAddresses = std::array<std::uint64_t, kWarpSize>;  // generic

// Which of a site's newest patterns an address may repeat.
inline std::size_t place_of(const SiteState& site, std::uint64_t base) {
  return base >> site.info->index_shift & (kPatternsPerSite - 1);
}

// An access that does not repeat the newest pattern of its place; addresses are generic, only active lanes
// count.
struct NewAccess {
  const LaneAddresses& addresses;
  std::uint32_t active;
  std::uint64_t base;     // address of the first active lane
  std::uint32_t residue;  // of it; with the offsets it decides the cost
};

// Counts it: as a pattern that the site has kept, or else as a new one, whose cost is learned.
Pattern& count_other(SiteState& site, const NewAccess& access);

// Counts one access of the site; the pattern is valid until the site's next one.
const Pattern& count_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes);

// The shape of an access that is counted elsewhere, as a texture's; `bytes` of each lane. Valid until the
// site's next one.
const Pattern& shape_of_access(SiteState& site, const LaneAddresses& addresses, std::uint32_t lanes,
                               int bytes);

// Every pattern counts its own hits; this moves them into the site's totals.
void add_hits_to_totals(SiteState& site);

}  // namespace cudalab::vgpu

// Which lanes of an access touch the same piece of memory: sector, word, element. Every pattern that is new
// is counted with these, so they are loops over all lanes that the compiler makes vectors of, without a sort.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/counters/coalescing.h"
#include "vgpu/counters/earlier_lanes.h"

namespace cudalab::vgpu {

// The number of each lane's piece of 1 << shift bytes, from 1 on, relative to the lowest; 0 of lanes that are
// not active.
struct LaneUnits {
  EachLane number;
  std::uint32_t active;
};

// Whether every active lane lies at a multiple of `bytes`, which is a power of two.
bool lanes_are_aligned(const WarpAccess& access, std::uint64_t bytes);

// False where the lanes are too far apart to be numbered.
bool number_units(const WarpAccess& access, int shift, LaneUnits& units);

std::uint32_t count_distinct(const LaneUnits& units);
// The active lanes whose unit no earlier lane of the same `group` of neighbours (8, 16, 32) has.
std::uint32_t first_lanes(const LaneUnits& units, int group);

}  // namespace cudalab::vgpu

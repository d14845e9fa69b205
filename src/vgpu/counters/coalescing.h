// Counts the 32-byte sectors that a warp's global access touches, as the card's L1 does.
#pragma once

#include <cstdint>
#include <span>

#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// What one warp-wide memory instruction asks for. Only lanes in `active` count; each lane touches
// `bytes_per_lane` bytes from its address on, aligned to that size.
struct WarpAccess {
  std::span<const std::uint64_t, kWarpSize> addresses;
  std::uint32_t active = kAllLanes;
  int bytes_per_lane = 4;
};

struct SectorCount {
  std::uint32_t sectors = 0;         // distinct aligned 32-byte chunks touched
  std::uint32_t distinct_bytes = 0;  // bytes touched, each counted once
};

// The rule was verified against every global record of expected/h200/access_patterns.jsonl.
SectorCount count_sectors(const WarpAccess& access);

std::uint32_t count_distinct_bytes(const WarpAccess& access);

}  // namespace cudalab::vgpu

// Counts the wavefronts (passes through the 32 banks) that a warp's shared-memory access takes.
#pragma once

#include <cstdint>

#include "vgpu/counters/coalescing.h"

namespace cudalab::vgpu {

enum class SharedAccess { kLoad, kStore };

struct WavefrontCount {
  std::uint32_t wavefronts = 0;
  std::uint32_t groups = 0;  // groups of lanes that are served together: the fewest wavefronts possible
  std::uint32_t distinct_bytes = 0;
  std::uint32_t conflicts() const { return wavefronts - groups; }
};

// Lanes that go through the banks together where none pair up: 32 for up to 4 bytes a lane, 16 for 8, 8
// for 16.
constexpr int lanes_served_together(int bytes_per_lane) {
  return bytes_per_lane <= kBankBytes       ? kWarpSize
         : bytes_per_lane <= 2 * kBankBytes ? kWarpSize / 2
                                            : kWarpSize / 4;
}

// The same for an access, whose lanes may pair up.
int lanes_per_group(const WarpAccess& access, SharedAccess kind);

// bank = (address / 4) mod 32. Lanes are served in groups: all 32 for up to 4 bytes a lane, half-warps for 8,
// quarter-warps for 16; a load whose lanes pair up (address(l) = address(l ^ 1) for all l, or l ^ 2) has its
// groups merged two by two. A group costs the largest number of distinct 4-byte words it touches in any one
// bank. Verified against every shared record of expected/h200/access_patterns.jsonl.
WavefrontCount count_wavefronts(const WarpAccess& access, SharedAccess kind);

}  // namespace cudalab::vgpu

// Which lanes of a warp get which bank of shared memory, pass by pass.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "vgpu/counters/banks.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// Lanes that are served together, and what happens pass by pass: which lanes get a word of each bank.
struct BankPass {
  std::size_t first_lane = 0, last_lane = 0;
  std::size_t number = 1;  // among the passes of its lanes
  std::array<std::vector<std::size_t>, kBanks> lanes;
};

// bank = (address / 4) mod 32; a pass hands out one 4-byte word of each bank to all lanes that want it. As
// many as count_wavefronts counts.
std::vector<BankPass> bank_passes(const WarpAccess& access, SharedAccess kind);

}  // namespace cudalab::vgpu

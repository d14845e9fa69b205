// Draws which lanes of a warp hit which bank of shared memory, one line a pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/counters/access_costs.h"

namespace cudalab::lab {

constexpr std::size_t kLanes = vgpu::kWarpSize, kBanks = vgpu::kBanks;

// A load of one warp: the byte address of each lane, and the bytes that each reads (1, 2, 4, 8 or 16).
struct SharedRead {
  std::array<std::uint32_t, kLanes> address{};
  std::uint32_t bytes = 4;
};

using vgpu::BankPass;

// bank = (address / 4) mod 32; a pass hands out one 4-byte word of each bank to all lanes that want it.
// 8-byte reads go a half-warp at a time and 16-byte reads a quarter, unless neighbouring lanes pair up (as in
// vgpu/counters/access_costs.h, whose count of wavefronts is the number of passes here).
std::vector<BankPass> passes_of(const SharedRead& read);

// A line with the banks' numbers, then a line a pass. A lane is one character, 0-9 and a-v; a + after it says
// that more lanes get the same word.
std::vector<std::string> bank_picture(const SharedRead& read);

// How many lanes of a half-warp conflict, at worst, by the rule of the first CUDA cards (compute capability
// 1.x; NVIDIA CUDA Programming Guide 2.0, 5.1.2.5): 16 lanes at a time, 16 banks, and lanes with different
// addresses in one bank wait for each other, even if they want parts of one word. 1: no conflict.
std::size_t ways_by_the_old_rule(const SharedRead& read);

}  // namespace cudalab::lab

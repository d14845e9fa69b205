// Draws which lanes of a warp access which bank of shared memory, one line per wavefront.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vgpu/counters/access_costs.h"

namespace cudalab::lab {

constexpr std::size_t kLanes = vgpu::kWarpSize, kBanks = vgpu::kBanks;

// A shared-memory load of one warp: each lane's byte address, and the bytes per lane (1, 2, 4, 8 or 16).
struct SharedRead {
  std::array<std::uint32_t, kLanes> address{};
  std::uint32_t bytes = 4;
};

using vgpu::BankPass;

// The wavefronts of a load (a `BankPass` is one wavefront). Bank = (address / 4) mod 32. One wavefront
// delivers one 4-byte word from each bank to all lanes that read it. A request of 8 bytes per lane is
// processed by half-warps and one of 16 bytes by quarter-warps, unless neighbouring lanes pair up
// (vgpu/counters/access_costs.h).
std::vector<BankPass> passes_of(const SharedRead& read);

// A line with the bank numbers, then one line per wavefront. One character (0-9, a-v) stands for a lane; a +
// after it means that more lanes read the same word.
std::vector<std::string> bank_picture(const SharedRead& read);

// The largest number of conflicting lanes by the rule of the first CUDA GPUs (compute capability 1.x; NVIDIA
// CUDA Programming Guide 2.0, 5.1.2.5): half-warps, 16 banks, and lanes with different addresses in one bank
// conflict even if they read parts of one word. 1: no conflict.
std::size_t ways_by_the_old_rule(const SharedRead& read);

}  // namespace cudalab::lab

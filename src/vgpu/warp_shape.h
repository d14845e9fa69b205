// The shapes that every card since Volta shares (CUDA C++ Programming Guide, "Compute Capabilities").
#pragma once

#include <cstdint>

namespace cudalab::vgpu {

inline constexpr int kWarpSize = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr int kBanks = 32;  // shared memory: bank = (byte address / 4) mod 32
inline constexpr int kBankBytes = 4;
inline constexpr int kSectorBytes = 32;  // the unit in which the L1 asks the L2 for data

}  // namespace cudalab::vgpu

// Models of graphics cards as data: the limits that a launch is checked against and the shapes the counters
// assume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/texture.h"

namespace cudalab::vgpu {

// The shapes that every card since Volta shares (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr int kWarpSize = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr int kBanks = 32;  // shared memory: bank = (byte address / 4) mod 32
inline constexpr int kBankBytes = 4;
inline constexpr int kSectorBytes = 32;  // the unit in which the L1 asks the L2 for data

// Sources of each field: CUDA C++ Programming Guide 13.0, table "Technical Specifications per Compute
// Capability", and cuDeviceGetAttribute on the card itself where expected/h200/ holds its answer.
struct Card {
  std::string_view id;    // as in `--card h200`
  std::string_view name;  // as the driver names it
  int compute_major, compute_minor;
  std::uint32_t multiprocessors;
  std::uint32_t max_threads_per_block;
  std::uint32_t max_block_x, max_block_y, max_block_z;
  std::uint32_t max_grid_x, max_grid_y, max_grid_z;
  std::uint32_t max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
  std::size_t shared_per_block, shared_per_block_optin, shared_per_multiprocessor;
  std::size_t constant_bytes;
  std::size_t l2_bytes;
  std::size_t local_bytes_per_thread;
  TextureLimits textures{};
};

std::span<const Card> cards();
const Card* find_card(std::string_view id);

}  // namespace cudalab::vgpu

// The read-only registers that tell a thread where it is (PTX ISA, "Special Registers").
#pragma once

#include <cstdint>
#include <string_view>

#include "core/dim3.h"

namespace cudalab::vgpu {

// Where a warp is, and what it runs in.
struct WarpPosition {
  Dim3 grid, block;
  Dim3 block_index{0, 0, 0};
  Dim3 cluster{1, 1, 1};  // blocks
  bool is_explicit_cluster = false;
  std::uint32_t warp = 0;
  std::uint32_t multiprocessor = 0, multiprocessors = 1;
  std::uint32_t dynamic_shared_bytes = 0, total_shared_bytes = 0;
  std::uint32_t dynamic_shared_base = 0, reserved_shared_base = 0;
  std::uint64_t grid_workspace = 0;
};

enum class Refresh : std::uint8_t { kOncePerLaunch, kEveryBlock };

struct SpecialRegister {
  std::string_view name;
  Refresh refresh{};
  std::uint32_t (*value)(const WarpPosition& position, std::uint32_t lane) = nullptr;
};

// nullptr for a name that is no special register, or one whose value changes while a warp runs (clocks).
const SpecialRegister* find_special_register(std::string_view name);

// The address of the memory in which grid.sync() counts, as cooperative_groups.h asks for it: high and low
// half.
inline constexpr std::string_view kGridWorkspaceHigh = "%envreg1", kGridWorkspaceLow = "%envreg2";

// Where `extern __shared__` memory begins, which depends on the kernel: read like a special register.
inline constexpr std::string_view kDynamicSharedBase = "dynamic shared base";

// Shared memory of the block's own that cooperative_groups.h uses for tiles of several warps: zero when a
// block begins.
inline constexpr std::string_view kReservedShared = "%reserved_smem_offset_1";
inline constexpr std::uint32_t kReservedSharedBytes = 288;  // details/memory.h expects as many

}  // namespace cudalab::vgpu

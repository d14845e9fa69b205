// The shape of a grid or a block, the position of a block or thread in one, and what a launch runs.
#pragma once

#include <cstdint>

namespace cudalab {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

// The position with the given linear index in a box of the given shape. x varies fastest, as in CUDA.
constexpr Dim3 position_in(const Dim3& shape, std::uint64_t index) {
  return {static_cast<std::uint32_t>(index % shape.x), static_cast<std::uint32_t>(index / shape.x % shape.y),
          static_cast<std::uint32_t>(index / shape.x / shape.y)};
}

// The inverse of position_in.
constexpr std::uint64_t linear_index(const Dim3& shape, const Dim3& at) {
  return at.x + std::uint64_t{shape.x} * (at.y + std::uint64_t{shape.y} * at.z);
}

// The shape of a launch, as in kernel<<<grid, block, dynamic_shared_bytes>>>. All layers pass it on
// unchanged, together with the kernel and arguments in a form of their own. LaunchOptions
// (vgpu/launch_options.h) contains the other options of a launch, such as checks and limits.
struct LaunchSpec {
  Dim3 grid{};                             // blocks
  Dim3 block{};                            // threads per block
  std::uint64_t dynamic_shared_bytes = 0;  // per block, in addition to what the kernel declares
  Dim3 cluster{0, 0, 0};                   // blocks per cluster; 0: as the kernel specifies
};

}  // namespace cudalab

// Which earlier lanes have the same number, as words or lines have that lanes touch: how those that share one
// are found without a sort. All lanes are compared with all others, a few vector instructions a lane or
// fewer.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

struct alignas(64) EachLane : std::array<std::uint32_t, kWarpSize> {};

// The lanes whose number an earlier lane of the same `group` of neighbours (8, 16, 32) has. A number of 0 is
// nobody's: the first lane that has it may be among them, too.
std::uint32_t repeated_lanes(const EachLane& number, int group);

// By lane: the earlier ones that have its number, a bit each.
EachLane earlier_equals(const EachLane& number);

// The same for processors that do not detect conflicts (AVX-512CD); for tests.
namespace by_distance {
std::uint32_t repeated_lanes(const EachLane& number, int group);
EachLane earlier_equals(const EachLane& number);
}  // namespace by_distance

}  // namespace cudalab::vgpu

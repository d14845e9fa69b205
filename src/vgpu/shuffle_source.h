// Which lane a shuffle reads (PTX ISA, "shfl.sync").
#pragma once

#include <cstdint>

#include "vgpu/value_step.h"

namespace cudalab::vgpu {

// For the operands b and c of a lane: the lane that is read, where that is inside the segment; else the lane
// itself.
inline std::uint32_t source_lane(ValueStep::Mode mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 31, mask = c >> 8 & 31, clamp = c & 31;
  const std::uint32_t last = (lane & mask) | (clamp & ~mask);
  std::uint32_t from = lane;
  switch (mode) {
    case ValueStep::Mode::kUp:
      from = lane - distance;
      return static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last) ? from & 31 : lane;
    case ValueStep::Mode::kDown: from = lane + distance; break;
    case ValueStep::Mode::kButterfly: from = lane ^ distance; break;
    case ValueStep::Mode::kIndex: from = (lane & mask) | (distance & ~mask); break;
  }
  return from <= last ? from & 31 : lane;
}

}  // namespace cudalab::vgpu

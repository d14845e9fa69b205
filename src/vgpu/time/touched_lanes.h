// Which lanes of a warp's access touch another line than the lane before them, all lanes at once: a touch of
// a line begins there.
#pragma once

#include <cstdint>

#include "vgpu/warp.h"

namespace cudalab::vgpu {

struct TouchedLanes {
  std::uint32_t begins = 0;   // a bit each: lanes with another line; the first of all has none before it
  std::uint32_t sampled = 0;  // of these, with a line in the sample
  std::uint32_t lines = 0;    // how many begin
  std::uint32_t pieces = 0;   // of these, in other 256 bytes
};

// `base` is the address of the first active lane, the sample is that of the level with this mask
// (line_sample.h). Inactive lanes begin nothing, but for the first of all.
TouchedLanes touched_lanes(const Pattern& pattern, std::uint64_t base, std::uint64_t mask);

}  // namespace cudalab::vgpu

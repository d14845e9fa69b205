#include "vgpu/time/touched_lanes.h"

#include <array>
#include <bit>

#include "vgpu/levels.h"
#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu {
namespace {

// An inactive lane goes where the active one before it goes, or the first one.
template <class Offset>
std::array<Offset, kWarpSize> without_gaps(const std::array<Offset, kWarpSize>& offset,
                                           std::uint32_t active) {
  std::array<Offset, kWarpSize> offsets;
  Offset last = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    last = (active >> lane & 1) ? offset[lane] : last;
    offsets[lane] = last;
  }
  return offsets;
}

// Lanes in two surroundings at most, which have a part of their keys in common: 32 bits of a line's number
// say all.
CUDALAB_EACH_LEVEL TouchedLanes touched_near(const std::int32_t* offset, std::uint64_t base,
                                             std::uint64_t lowest_line, std::uint64_t level_mask) {
  const auto in_line = static_cast<std::int32_t>(base % kLineBytes);
  const auto first = static_cast<std::uint32_t>(base >> kLineShift),
             mask = static_cast<std::uint32_t>(level_mask),
             lowest = static_cast<std::uint32_t>(lowest_line) >> kSurroundingsShift,
             hash = static_cast<std::uint32_t>(hash_of(surroundings_of(lowest_line))),
             next_hash = static_cast<std::uint32_t>(hash_of(surroundings_of(lowest_line) + 1));
  alignas(64) std::uint32_t lines[kWarpSize + 1];
  for (int lane = 0; lane < kWarpSize; ++lane)
    lines[lane + 1] = first + static_cast<std::uint32_t>((in_line + offset[lane]) >> kLineShift);
  lines[0] = ~lines[1];
  TouchedLanes touched;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t line = lines[lane + 1], changed = line ^ lines[lane];
    const std::uint32_t key =
        line ^ (line >> 5) * 11 ^ (line >> kSurroundingsShift == lowest ? hash : next_hash);
    touched.begins |= std::uint32_t{changed != 0} << lane;
    touched.pieces |= std::uint32_t{changed > 1} << lane;
    touched.sampled |= std::uint32_t{(key & mask) == 0} << lane;
  }
  touched.lines = static_cast<std::uint32_t>(std::popcount(touched.begins));
  touched.pieces = static_cast<std::uint32_t>(std::popcount(touched.pieces));
  return touched;
}

CUDALAB_EACH_LEVEL TouchedLanes touched_far(const std::int64_t* offset, std::uint64_t base,
                                            std::uint64_t mask) {
  alignas(64) std::uint64_t lines[kWarpSize + 1];
  for (int lane = 0; lane < kWarpSize; ++lane)
    lines[lane + 1] = (base + static_cast<std::uint64_t>(offset[lane])) >> kLineShift;
  lines[0] = ~lines[1];
  TouchedLanes touched;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t line = lines[lane + 1], changed = line ^ lines[lane];
    touched.begins |= std::uint32_t{changed != 0} << lane;
    touched.pieces |= std::uint32_t{changed > 1} << lane;
    touched.sampled |= std::uint32_t{(sampling_key(line) & mask) == 0} << lane;
  }
  touched.lines = static_cast<std::uint32_t>(std::popcount(touched.begins));
  touched.pieces = static_cast<std::uint32_t>(std::popcount(touched.pieces));
  return touched;
}

}  // namespace

TouchedLanes touched_lanes(const Pattern& pattern, std::uint64_t base, std::uint64_t mask) {
  const std::uint64_t lowest = (base + static_cast<std::uint64_t>(pattern.low)) >> kLineShift,
                      highest = (base + static_cast<std::uint64_t>(pattern.high) - 1) >> kLineShift;
  const bool is_near = surroundings_of(highest) - surroundings_of(lowest) <= 1,
             is_full = pattern.active == kAllLanes;
  TouchedLanes lanes;
  if (is_near && is_full)
    lanes = touched_near(pattern.narrow.data(), base, lowest, mask);
  else if (is_near)
    lanes = touched_near(without_gaps(pattern.narrow, pattern.active).data(), base, lowest, mask);
  else if (is_full)
    lanes = touched_far(pattern.offset.data(), base, mask);
  else
    lanes = touched_far(without_gaps(pattern.offset, pattern.active).data(), base, mask);
  lanes.sampled &= lanes.begins;
  return lanes;
}

}  // namespace cudalab::vgpu

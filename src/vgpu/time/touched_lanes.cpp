#include "vgpu/time/touched_lanes.h"

#include <array>
#include <bit>

#include "vgpu/levels.h"
#include "vgpu/time/line_sample.h"

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

// Each lane but the first beside the one before it, half a warp at a time: where both come from memory that
// was written long ago, nothing waits for what was written in other pieces.
constexpr int kHalf = kWarpSize / 2, kFirstOfHalf[] = {1, kWarpSize - kHalf};

// `line_of` an offset, and whether a line `is_in_sample`. Always inlined, since it is compiled for several
// levels.
template <class Offset, class LineOf, class IsInSample>
[[gnu::always_inline]] inline TouchedLanes touched(const Offset* offset, const LineOf& line_of,
                                                   const IsInSample& is_in_sample) {
  std::uint32_t begins = 1, pieces = 1, sampled = is_in_sample(line_of(offset[0]));
  for (const int first : kFirstOfHalf)
    for (int i = 0; i < kHalf; ++i) {
      const int lane = first + i;
      const auto line = line_of(offset[lane]), changed = line ^ line_of(offset[lane - 1]);
      begins |= std::uint32_t{changed != 0} << lane;
      pieces |= std::uint32_t{changed > 1} << lane;
      sampled |= std::uint32_t{is_in_sample(line)} << lane;
    }
  return {begins, sampled & begins, static_cast<std::uint32_t>(std::popcount(begins)),
          static_cast<std::uint32_t>(std::popcount(pieces))};
}

// Lanes in two surroundings at most, which have a part of their keys in common: 32 bits of a line's number
// say all.
CUDALAB_EACH_LEVEL TouchedLanes touched_near(const std::int32_t* offset, std::uint64_t base,
                                             std::uint64_t lowest_line, std::uint64_t level_mask) {
  const auto in_line = static_cast<std::int32_t>(base % kLineBytes);
  const auto first_line = static_cast<std::uint32_t>(base >> kLineShift),
             mask = static_cast<std::uint32_t>(level_mask),
             lowest = static_cast<std::uint32_t>(lowest_line) >> kSurroundingsShift,
             hash = static_cast<std::uint32_t>(hash_of(surroundings_of(lowest_line))),
             next_hash = static_cast<std::uint32_t>(hash_of(surroundings_of(lowest_line) + 1));
  const auto line_of = [=](std::int32_t of_lane) {
    return first_line + static_cast<std::uint32_t>((in_line + of_lane) >> kLineShift);
  };
  const auto is_in_sample = [=](std::uint32_t line) {
    const std::uint32_t key =
        line ^ (line >> 5) * 11 ^ (line >> kSurroundingsShift == lowest ? hash : next_hash);
    return (key & mask) == 0;
  };
  return touched(offset, line_of, is_in_sample);
}

CUDALAB_EACH_LEVEL TouchedLanes touched_far(const std::int64_t* offset, std::uint64_t base,
                                            std::uint64_t mask) {
  const auto line_of = [=](std::int64_t of_lane) {
    return (base + static_cast<std::uint64_t>(of_lane)) >> kLineShift;
  };
  return touched(offset, line_of, [=](std::uint64_t line) { return is_sampled(line, mask); });
}

}  // namespace

TouchedLanes touched_lanes(const Pattern& pattern, std::uint64_t base, std::uint64_t mask) {
  const std::uint64_t lowest = (base + static_cast<std::uint64_t>(pattern.low)) >> kLineShift,
                      highest = (base + static_cast<std::uint64_t>(pattern.high) - 1) >> kLineShift;
  const bool is_near = surroundings_of(highest) - surroundings_of(lowest) <= 1,
             is_full = pattern.active == kAllLanes;
  if (is_near && is_full) return touched_near(pattern.narrow.data(), base, lowest, mask);
  if (is_near) return touched_near(without_gaps(pattern.narrow, pattern.active).data(), base, lowest, mask);
  if (is_full) return touched_far(pattern.offset.data(), base, mask);
  return touched_far(without_gaps(pattern.offset, pattern.active).data(), base, mask);
}

}  // namespace cudalab::vgpu

// Finds the lines of memory that a warp's access touches, and samples lines for the cache replay.
#include "vgpu/time/touched_lanes.h"

#include <array>
#include <bit>

#include "vgpu/levels.h"

namespace cudalab::vgpu {
namespace {

// Whether the sample of this level has enough different lines to be representative. Usually the first few
// hundred touches suffice to tell.
bool has_some_lines(std::span<const std::span<const TouchedLine>> touches, int level) {
  constexpr int kSome = 48;
  const std::uint64_t mask = sampling_mask(level);
  std::array<std::uint64_t, 16> known{};  // one bit per hash of a line number
  int lines = 0;
  for (const std::span<const TouchedLine> some : touches)
    for (const TouchedLine& at : some) {
      if (!is_sampled(at.line, mask)) continue;
      const std::uint64_t hash = at.line * 0x9E3779B97F4A7C15ull >> 54;  // ten bits
      std::uint64_t &word = known[hash / 64], bit = 1ull << hash % 64;
      if (!(word & bit) && ++lines == kSome) return true;
      word |= bit;
    }
  return false;
}

bool is_too_large(std::size_t touches, std::span<const std::span<const TouchedLine>> known, int level,
                  std::size_t most) {
  return touches > most && (touches > 2 * kMostTouches || has_some_lines(known, level + 1));
}

std::array<std::size_t, kHighestSampleLevel + 1> touches_of_levels(
    std::span<const std::span<const TouchedLine>> touches) {
  std::array<std::size_t, 64 + 1> of_zeros{};  // by number of trailing zeros of the key
  for (const std::span<const TouchedLine> some : touches)
    for (const TouchedLine& at : some) ++of_zeros[std::countr_zero(sampling_key(at.line))];
  std::array<std::size_t, kHighestSampleLevel + 1> of_levels{};
  std::size_t sum = 0;
  for (std::size_t zeros = of_zeros.size(); zeros-- > 0;) {
    sum += of_zeros[zeros];
    if (zeros < of_levels.size()) of_levels[zeros] = sum;
  }
  return of_levels;
}

}  // namespace

int SharedSample::add(int level, std::size_t more, std::span<const TouchedLine> lines) {
  if (const int known = level_.load(std::memory_order_relaxed); known > level) return known;
  std::atomic<std::size_t>& of_level = touches_[static_cast<std::size_t>(level)];
  const std::size_t touches = of_level.fetch_add(more, std::memory_order_relaxed) + more;
  if (level == kHighestSampleLevel || !is_too_large(touches, {&lines, 1}, level, kMostTouches)) return level;
  int before = level;  // another thread may have raised it, too
  level_.compare_exchange_strong(before, level + 1, std::memory_order_relaxed);
  return level + 1;
}

int sample_level(std::span<const std::span<const TouchedLine>> touches, int level, std::size_t most) {
  const auto of_levels = touches_of_levels(touches);
  while (level < kHighestSampleLevel &&
         is_too_large(of_levels[static_cast<std::size_t>(level)], touches, level, most))
    ++level;
  return level;
}

namespace {

// Gives each inactive lane the offset of the last active lane before it, or 0 (that of the first active
// lane).
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

// Compares each lane with the previous one, half a warp at a time. The two halves overlap so that no load
// depends on a recent store of another width (store forwarding would stall).
constexpr int kHalf = kWarpSize / 2, kFirstOfHalf[] = {1, kWarpSize - kHalf};

// `line_of` maps an offset to a line; `is_in_sample` tests a line. Always inlined, because it is compiled for
// several instruction sets.
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

// All lanes are in at most two surroundings, so 32 bits of the line number suffice for the key.
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

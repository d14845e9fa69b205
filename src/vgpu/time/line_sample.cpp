#include "vgpu/time/line_sample.h"

#include <algorithm>
#include <array>
#include <bit>

namespace cudalab::vgpu {
namespace {

// How many touches, and about how many different lines (up to some hundreds), are in the sample of each
// level.
struct LevelTotals {
  std::size_t touches = 0;
  std::array<std::uint64_t, 16> lines{};  // a bit each, by a hash of its number
};
using Levels = std::array<LevelTotals, kHighestSampleLevel + 1>;

Levels totals_of_levels(std::span<const std::span<const TouchedLine>> touches) {
  Levels levels;
  for (const std::span<const TouchedLine> some : touches)
    for (const TouchedLine& at : some) {
      const int zeros = std::countr_zero(sampling_key(at.line));
      LevelTotals& highest = levels[std::min<std::size_t>(zeros, kHighestSampleLevel)];
      ++highest.touches;
      const std::uint64_t hash = at.line * 0x9E3779B97F4A7C15ull >> 54;  // ten bits
      highest.lines[hash / 64] |= 1ull << hash % 64;
    }
  for (std::size_t level = levels.size() - 1; level-- > 0;) {
    levels[level].touches += levels[level + 1].touches;
    for (std::size_t i = 0; i < levels[level].lines.size(); ++i)
      levels[level].lines[i] |= levels[level + 1].lines[i];
  }
  return levels;
}

bool has_some_lines(const LevelTotals& level) {
  constexpr int kSome = 48;  // whose shares are about those of all
  int lines = 0;
  for (const std::uint64_t bits : level.lines) lines += std::popcount(bits);
  return lines >= kSome;
}

}  // namespace

int sample_level(std::span<const std::span<const TouchedLine>> touches, int level, std::size_t most) {
  const Levels levels = totals_of_levels(touches);
  for (; level < kHighestSampleLevel; ++level) {
    const LevelTotals &now = levels[static_cast<std::size_t>(level)],
                      &next = levels[static_cast<std::size_t>(level) + 1];
    if (now.touches <= most || (now.touches <= 2 * kMostTouches && !has_some_lines(next))) break;
  }
  return level;
}

}  // namespace cudalab::vgpu

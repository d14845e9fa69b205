#include "vgpu/time/line_sample.h"

#include <array>
#include <bit>

namespace cudalab::vgpu {
namespace {

// Whether the sample of this level has so many different lines that their shares are about those of all. As
// a rule it has, and the first few hundred touches tell.
bool has_some_lines(std::span<const std::span<const TouchedLine>> touches, int level) {
  constexpr int kSome = 48;
  const std::uint64_t mask = sampling_mask(level);
  std::array<std::uint64_t, 16> known{};  // a bit each, by a hash of its number
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
  std::array<std::size_t, 64 + 1> of_zeros{};  // by how many bits of the key from the lowest on are 0
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
  int before = level;  // another thread may have found the same
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

}  // namespace cudalab::vgpu

// Tests that touched_lanes() finds for all lanes at once the same as a loop over the lanes.
#include "vgpu/time/touched_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>

#include "vgpu/time/access_trace.h"

namespace cudalab::vgpu {
namespace {

constexpr std::int64_t kWord = 4;

// Lane i accesses first_offset + offset_of(i); starts with the first active lane.
template <class OffsetOf>
Pattern pattern_of(std::uint32_t active, OffsetOf offset_of) {
  Pattern pattern;
  pattern.active = active;
  const std::int64_t first = offset_of(std::countr_zero(active));
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(active >> lane & 1)) continue;
    pattern.offset[lane] = offset_of(lane) - first;
    pattern.narrow[lane] = static_cast<std::int32_t>(pattern.offset[lane]);
    pattern.low = std::min(pattern.low, pattern.offset[lane]);
    pattern.high = std::max(pattern.high, pattern.offset[lane] + kWord);
  }
  return pattern;
}

struct Found {
  std::uint32_t lines = 0, pieces = 0;
  std::uint32_t sampled = 0;  // how many
  bool operator==(const Found&) const = default;
};

Found lane_by_lane(const Pattern& pattern, std::uint64_t base, std::uint64_t mask) {
  Found found;
  std::uint64_t last = ~0ull;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(pattern.active >> lane & 1)) continue;
    const std::uint64_t line = (base + static_cast<std::uint64_t>(pattern.offset[lane])) >> kLineShift;
    found.lines += line != last;
    found.pieces += last == ~0ull || line / 2 != last / 2;
    found.sampled += line != last && is_sampled(line, mask);
    last = line;
  }
  return found;
}

void expect_the_same(const Pattern& pattern, std::uint64_t base) {
  for (const std::uint64_t mask : {0ull, 1ull, 7ull, 1023ull}) {
    const TouchedLanes touched = touched_lanes(pattern, base, mask);
    const Found all{touched.lines, touched.pieces,
                    static_cast<std::uint32_t>(std::popcount(touched.sampled))};
    EXPECT_EQ(all, lane_by_lane(pattern, base, mask)) << base << " " << mask << " " << pattern.active;
    EXPECT_EQ(touched.lines, std::popcount(touched.begins));
  }
}

constexpr std::uint64_t kBase = 0x7000'0000'1000, kSurroundings = 128 << 10;

TEST(TouchedLanes, AreThoseOfEveryStride) {
  for (const int stride : {4, 32, 60, 128, 132, 256, 4096, 4224, 1 << 20, -128, -4096})
    for (const std::uint64_t begin : {0ul, 4ul, 124ul, kSurroundings - 4, kSurroundings - 4096})
      for (const std::uint32_t active : {~0u, 0x0000ff00u, 0x80000001u, 0x55555555u})
        expect_the_same(pattern_of(active, [&](int lane) { return std::int64_t{lane} * stride; }),
                        kBase + begin);
}

TEST(TouchedLanes, AreThoseOfLanesAnywhere) {
  std::mt19937_64 random(1);
  for (const int far : {1 << 10, 1 << 17, 1 << 18, 1 << 28})
    for (int i = 0; i < 100; ++i) {
      std::array<std::int64_t, kWarpSize> offsets;
      for (std::int64_t& offset : offsets) offset = static_cast<std::int64_t>(random()) % far / 4 * 4;
      const auto active = static_cast<std::uint32_t>(i % 2 ? ~0ull : random() | 1u << i % kWarpSize);
      expect_the_same(pattern_of(active, [&](int lane) { return offsets[lane]; }),
                      kBase + 4 * (random() % 64));
    }
}

TEST(TouchedLanes, BeginWhereTheLineChanges) {
  const Pattern pattern = pattern_of(~0u, [](int lane) { return lane * std::int64_t{16}; });
  EXPECT_EQ(touched_lanes(pattern, kBase, 0).begins, 0x01010101u);
  EXPECT_EQ(touched_lanes(pattern, kBase + 64, 0).begins, 0x10101011u);
}

}  // namespace
}  // namespace cudalab::vgpu

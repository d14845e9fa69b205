#include "vgpu/checks/shadow.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace cudalab::vgpu {
namespace {

constexpr int kShadowGranuleShift = 2;
constexpr std::uint64_t kLineBytes = 1u << LineShadow::kLineShift;

TEST(LineShadow, EveryLineKeepsItsCellsWhileTheBlockRuns) {
  LineShadow shadow(kShadowGranuleShift);
  std::mt19937_64 random(4);
  for (int block = 0; block < 3; ++block) {
    shadow.start_block();
    std::map<std::uint64_t, const std::uint32_t*> cells;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t line = 1'000'000 + random() % 4000;
      const std::uint32_t* found = shadow.line(line * kLineBytes + random() % kLineBytes).write;
      EXPECT_EQ(cells.emplace(line, found).first->second, found) << line;
    }
    std::map<const std::uint32_t*, int> lines_with;
    for (const auto& [line, own] : cells) EXPECT_EQ(lines_with[own]++, 0) << line;
  }
}

// Cells of an earlier block are not cleared: their ticks lie in the past.
TEST(LineShadow, TheNextBlockTakesTheCellsInItsOwnOrder) {
  LineShadow shadow(kShadowGranuleShift);
  const std::uint32_t *first = shadow.line(0).write, *second = shadow.line(kLineBytes).write;
  EXPECT_EQ(second, first + shadow.granules_per_line());
  shadow.start_block();
  EXPECT_EQ(shadow.line(kLineBytes).write, first);
  EXPECT_EQ(shadow.line(0).write, second);
}

TEST(LineShadow, BeyondAsManyAsThereIsRoomForAllIsForgotten) {
  constexpr std::uint64_t kRoom = 8192;
  LineShadow shadow(kShadowGranuleShift);
  for (std::uint64_t line = 0; line < kRoom; ++line) *shadow.line(line * kLineBytes).write = 7;
  EXPECT_EQ(*shadow.line(5 * kLineBytes).write, 7u);
  EXPECT_EQ(*shadow.line(kRoom * kLineBytes).write, 0u);
  EXPECT_EQ(*shadow.line(5 * kLineBytes).write, 0u);
}

}  // namespace
}  // namespace cudalab::vgpu

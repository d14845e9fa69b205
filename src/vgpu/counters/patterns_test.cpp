#include "vgpu/counters/patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <random>

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kPatternBase = 0x1000;

LaneAddresses strided(std::uint64_t base, std::uint64_t step) {
  LaneAddresses addresses;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) addresses[lane] = base + lane * step;
  return addresses;
}

class SitePatterns : public testing::Test {
 protected:
  SitePatterns() {
    info_.kind = SiteKind::kGlobalLoad;
    info_.bytes_per_lane = 4;
    site_.info = &info_;
  }
  const Pattern& count(const LaneAddresses& addresses, std::uint32_t lanes = kAllLanes) {
    return count_access(site_, addresses, lanes);
  }
  const SiteTotals& totals() {
    add_hits_to_totals(site_);
    return site_.totals;
  }

  SiteInfo info_;
  SiteState site_;
};

TEST_F(SitePatterns, ThoseThatTakeTurnsAtOnePlaceAreKeptAndCountedEachTime) {
  for (int round = 0; round < 10; ++round)
    for (const std::uint64_t step : {4, 8, 128}) count(strided(kPatternBase, step));
  ASSERT_NE(site_.known, nullptr);
  EXPECT_GT(site_.known->credit, KnownPatterns::kTrial);  // most lookups succeeded
  EXPECT_EQ(totals().requests, 30u);
  EXPECT_EQ(totals().transactions, 10u * (4 + 8 + 32));
  EXPECT_EQ(totals().lanes, 30u * kWarpSize);
}

TEST_F(SitePatterns, OneThatComesBackElsewhereHasTheCostOfItsPlaceInTheSector) {
  for (int round = 0; round < 6; ++round)
    for (const std::uint64_t step : {4, 8}) {
      EXPECT_EQ(count(strided(kPatternBase + 0x1000 * round, step)).transactions, step) << round;
      EXPECT_EQ(count(strided(kPatternBase + 0x1000 * round + 16, step)).transactions, step + 1) << round;
    }
  EXPECT_EQ(totals().transactions, 6u * (4 + 5 + 8 + 9));
}

TEST_F(SitePatterns, OtherLanesAreAnotherPattern) {
  for (int round = 0; round < 8; ++round)
    for (const std::uint32_t lanes : {0xffffu, 0xffu, 0xfu}) {
      const Pattern& pattern = count(strided(kPatternBase, 4), lanes);
      EXPECT_EQ(pattern.active, lanes);
      EXPECT_EQ(pattern.transactions, (static_cast<std::uint32_t>(std::popcount(lanes)) + 7) / 8);
    }
  EXPECT_EQ(totals().requests, 24u);
  EXPECT_EQ(totals().transactions, 8u * (2 + 1 + 1));
}

TEST_F(SitePatterns, OneThatGoesOnIsTheNewestAgain) {
  for (int round = 0; round < 4; ++round)
    for (const std::uint64_t step : {4, 8}) count(strided(kPatternBase, step));
  for (int round = 0; round < 4; ++round) count(strided(kPatternBase, 8));
  EXPECT_EQ(site_.patterns[place_of(site_, kPatternBase)].stride, 8);
  EXPECT_EQ(totals().transactions, 4u * (4 + 8) + 4u * 8);
}

// The step of more than half of the distances between neighbouring active lanes.
std::optional<std::int64_t> stride_of(const LaneAddresses& addresses, std::uint32_t lanes) {
  std::map<std::int64_t, int> lanes_with;
  for (int lane = 1; lane < kWarpSize; ++lane)
    if ((lanes >> (lane - 1) & 3) == 3)
      ++lanes_with[static_cast<std::int64_t>(addresses[lane] - addresses[lane - 1])];
  for (const auto& [stride, count] : lanes_with)
    if (2 * count > std::popcount(lanes) - 1) return stride;
  return std::nullopt;
}

TEST_F(SitePatterns, TheStrideIsThatOfMoreThanHalf) {
  std::mt19937_64 random(2);
  int strides = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t others = random() % 30 + 1;
    std::uint32_t lanes = kAllLanes;
    if (round % 3 != 0) lanes = static_cast<std::uint32_t>(random() | (round % 3 == 1 ? random() : 0)) | 1;
    LaneAddresses addresses;
    std::uint64_t address = kPatternBase << 20;
    for (std::uint64_t& of_lane : addresses)
      of_lane = address += random() % 32 < others ? 4 * (round % 5) : 4 * (random() % 64) + (1ull << 32);
    const auto expected = stride_of(addresses, lanes);
    const Pattern& pattern = count(addresses, lanes);
    ASSERT_EQ(pattern.has_stride, expected.has_value()) << round;
    ASSERT_EQ(expected.value_or(pattern.stride), pattern.stride) << round;
    strides += expected.has_value();
  }
  EXPECT_GT(strides, 300);
  EXPECT_LT(strides, 2700);
}

TEST_F(SitePatterns, ThoseThatComeButOnceAreNotKept) {
  for (std::uint64_t step = 1; step <= 3000; ++step) count(strided(kPatternBase, 4 * step));
  ASSERT_NE(site_.known, nullptr);
  EXPECT_TRUE(std::ranges::all_of(site_.known->kept, [](const auto& kept) { return kept == nullptr; }));
  EXPECT_LT(site_.known->credit, 0);
  EXPECT_EQ(totals().requests, 3000u);
}

}  // namespace
}  // namespace cudalab::vgpu

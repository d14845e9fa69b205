// Which lanes go through the banks together.
#include "vgpu/counters/banks.h"

#include <gtest/gtest.h>

#include <array>

namespace cudalab::vgpu {
namespace {

using Addresses = std::array<std::uint64_t, kWarpSize>;

// Neighbours `apart` read the same; others do not.
Addresses in_pairs(int apart, int bytes) {
  Addresses addresses{};
  for (int lane = 0; lane < kWarpSize; ++lane)
    addresses[lane] = static_cast<std::uint64_t>((lane & ~apart) * bytes);
  return addresses;
}

TEST(Banks, ServeFewerLanesWhoseWordsAreWider) {
  EXPECT_EQ(lanes_served_together(1), 32);
  EXPECT_EQ(lanes_served_together(4), 32);
  EXPECT_EQ(lanes_served_together(8), 16);
  EXPECT_EQ(lanes_served_together(16), 8);
}

TEST(Banks, ServeTwiceAsManyLanesThatPairUp) {
  for (const int apart : {1, 2}) {
    const Addresses wide = in_pairs(apart, 8), wider = in_pairs(apart, 16), narrow = in_pairs(apart, 4);
    EXPECT_EQ(lanes_per_group({.addresses = wide, .bytes_per_lane = 8}, SharedAccess::kLoad), 32);
    EXPECT_EQ(lanes_per_group({.addresses = wider, .bytes_per_lane = 16}, SharedAccess::kLoad), 16);
    EXPECT_EQ(lanes_per_group({.addresses = narrow, .bytes_per_lane = 4}, SharedAccess::kLoad), 32);
  }
}

TEST(Banks, ServeNoMoreLanesOfAStoreOrOfOthersThanPairs) {
  const Addresses pairs = in_pairs(1, 8), fours = in_pairs(4, 8);
  EXPECT_EQ(lanes_per_group({.addresses = pairs, .bytes_per_lane = 8}, SharedAccess::kStore), 16);
  EXPECT_EQ(lanes_per_group({.addresses = fours, .bytes_per_lane = 8}, SharedAccess::kLoad), 16);
  Addresses broken = pairs;
  broken[31] = 1024;
  EXPECT_EQ(lanes_per_group({.addresses = broken, .bytes_per_lane = 8}, SharedAccess::kLoad), 16);
  // A partner that does not take part cannot disagree.
  const WarpAccess access{.addresses = broken, .active = ~(1u << 31), .bytes_per_lane = 8};
  EXPECT_EQ(lanes_per_group(access, SharedAccess::kLoad), 32);
}

}  // namespace
}  // namespace cudalab::vgpu

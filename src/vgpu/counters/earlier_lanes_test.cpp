// Comparing all lanes at once finds what a look at one lane after the other does, in both ways to compare.
#include "vgpu/counters/earlier_lanes.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace cudalab::vgpu {
namespace {

// Few different numbers, many, and those that only the highest bits tell apart.
std::vector<EachLane> many_numbers() {
  std::mt19937 random(3);
  std::vector<EachLane> all;
  for (const std::uint32_t range : {2, 8, 40, 1000})
    for (const int shift : {0, 20})
      for (int i = 0; i < 50; ++i) {
        EachLane numbers;
        for (std::uint32_t& number : numbers) number = 1 + (random() % range << shift);
        all.push_back(numbers);
      }
  return all;
}

std::uint32_t earlier_in_group(const EachLane& numbers, int lane, int group) {
  std::uint32_t earlier = 0;
  for (int other = lane / group * group; other < lane; ++other)
    if (numbers[other] == numbers[lane]) earlier |= 1u << other;
  return earlier;
}

TEST(EarlierLanes, HaveTheSameNumber) {
  for (const EachLane& numbers : many_numbers()) {
    EachLane expected;
    for (int lane = 0; lane < kWarpSize; ++lane) expected[lane] = earlier_in_group(numbers, lane, kWarpSize);
    EXPECT_EQ(earlier_equals(numbers), expected);
    EXPECT_EQ(by_distance::earlier_equals(numbers), expected);
  }
}

TEST(EarlierLanes, RepeatTheNumberOfOneInTheirGroup) {
  for (const int group : {8, 16, 32})
    for (const EachLane& numbers : many_numbers()) {
      std::uint32_t expected = 0;
      for (int lane = 0; lane < kWarpSize; ++lane)
        expected |= std::uint32_t{earlier_in_group(numbers, lane, group) != 0} << lane;
      EXPECT_EQ(repeated_lanes(numbers, group), expected) << group;
      EXPECT_EQ(by_distance::repeated_lanes(numbers, group), expected) << group;
    }
}

}  // namespace
}  // namespace cudalab::vgpu

// Tests seeded inputs: repeatable, different for each name, in range, never constant.
#include "lab/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cudalab::lab {
namespace {

TEST(Random, TheFirstNumbersAreThoseOfSplitmix64) {
  EXPECT_EQ(random_bits(0, 0), 0xe220a8397b1dcdafu);  // reference values of the published generator, seed 0
  EXPECT_EQ(random_bits(0, 1), 0x6e789e6aa1b965f4u);
}

TEST(Random, DependsOnSeedAndName) {
  EXPECT_EQ(random_stream(1, "a"), random_stream(1, "a"));
  EXPECT_NE(random_stream(1, "a"), random_stream(2, "a"));
  EXPECT_NE(random_stream(1, "a"), random_stream(1, "b"));
}

TEST(Random, RealsAreInRangeAndHardlyEverEqual) {
  const auto values = random_values<float>(100000, random_stream(1, "in"));
  EXPECT_GE(*std::min_element(values.begin(), values.end()), -1.0f);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 1.0f);
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 99000u);
}

TEST(Random, IntegersReachBothEnds) {
  const auto values = random_integers<float>(1000, 7, -2, 2);
  EXPECT_EQ((std::set<float>(values.begin(), values.end())), (std::set<float>{-2, -1, 0, 1, 2}));
}

TEST(Random, IntegerTypesUseTheirWholeRange) {
  const auto values = random_values<std::uint8_t>(10000, 7);
  EXPECT_EQ(std::set<std::uint8_t>(values.begin(), values.end()).size(), 256u);
}

TEST(Random, AnElementDependsOnItsIndexAlone) {
  const auto few = random_values<double>(10, 3);
  const auto many = random_values<double>(200000, 3);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

}  // namespace
}  // namespace cudalab::lab

// Bounds hold for real sums and catch what a wrong kernel leaves out; accurate sums are accurate.
#include "lab/verification/bounds.h"

#include <gtest/gtest.h>

#include "lab/random.h"

namespace cudalab::lab {
namespace {

TEST(Gamma, GrowsWithTheRoundingsAndEndsInInfinity) {
  EXPECT_EQ(unit_roundoff<float>(), 0x1p-24);
  EXPECT_EQ(unit_roundoff<double>(), 0x1p-53);
  EXPECT_GT(gamma<float>(2), 2 * 0x1p-24);
  EXPECT_LT(gamma<float>(2), 2.001 * 0x1p-24);
  EXPECT_TRUE(std::isinf(gamma<float>(1u << 24)));
}

// k u / (1 - k u), by hand: with u = 2^-53 and k = 2^52, k u is a half.
TEST(Gamma, IsHighamsFormula) {
  EXPECT_EQ(gamma<double>(0), 0);
  EXPECT_EQ(gamma<double>(std::uint64_t{1} << 52), 1);
  EXPECT_EQ(gamma<double>(std::uint64_t{1} << 51), 1.0 / 3);
  EXPECT_EQ(gamma<float>(1u << 23), 1);
  EXPECT_EQ(gamma<float>(3u << 22), 3);
  EXPECT_TRUE(std::isinf(gamma<double>(std::uint64_t{1} << 53)));
  EXPECT_TRUE(std::isinf(gamma<double>(std::uint64_t{1} << 54)));
}

TEST(Additions, OfTerms) {
  EXPECT_EQ(additions_one_by_one(0), 0u);
  EXPECT_EQ(additions_one_by_one(1), 0u);
  EXPECT_EQ(additions_one_by_one(2), 1u);
  EXPECT_EQ(additions_one_by_one(256), 255u);
  EXPECT_EQ(additions_in_a_tree(0), 0u);
  EXPECT_EQ(additions_in_a_tree(1), 0u);
  EXPECT_EQ(additions_in_a_tree(2), 1u);
  EXPECT_EQ(additions_in_a_tree(3), 2u);
  EXPECT_EQ(additions_in_a_tree(256), 8u);
  EXPECT_EQ(additions_in_a_tree(257), 9u);
}

TEST(AccurateSum, KeepsWhatDoubleLoses) {
  AccurateSum sum;
  for (const double term : {1.0, 1e100, 1.0, -1e100}) sum.add(term);
  EXPECT_EQ(sum.value(), 2.0);
  AccurateSum products;
  products.add_product(1 + 0x1p-30, 1 + 0x1p-30);
  products.add_product(-1, 1 + 0x1p-29);
  EXPECT_EQ(products.value(), 0x1p-60);
}

TEST(AccurateSum, KeepsBothPartsOfEachRoundedSum) {
  AccurateSum sum;
  sum.add(1);
  for (int i = 0; i < 4; ++i) sum.add(0x1p-54);
  EXPECT_EQ(sum.value(), 1 + 0x1p-52);
  AccurateSum small_first;
  for (const double term : {0x1p-54, 0x1p-54, 0x1p-54, 0x1p-54, 1.0}) small_first.add(term);
  EXPECT_EQ(small_first.value(), 1 + 0x1p-52);
}

// The formula with numbers that are exact: gamma of 2^22 roundings in float is (1/4) / (3/4).
TEST(SumBound, IsGammaTimesTheMagnitudes) {
  EXPECT_EQ(sum_bound<float>(1u << 22, 6).at(0), 2);
  EXPECT_EQ(sum_bound<float>(1u << 23, 6).at(0), 6);
  EXPECT_EQ(sum_bound<double>(std::uint64_t{1} << 52, 0.5).at(0), 0.5);
  EXPECT_EQ(sum_bound<float>(0, 6).at(0), 0);
  EXPECT_NEAR(sum_bound<float>(1, 1).at(0), 0x1p-24, 0x1p-46);
  EXPECT_NEAR(sum_bound<float>(100, 1).at(0), 100 * 0x1p-24, 1e-9);
  EXPECT_EQ(sum_bound<float>(100, 8).bound, "100 roundings of 2^-24 on a sum of magnitudes 8");
}

// 1 + u rounds to 1: one rounding may lose a half of the last place, which is all that the bound allows.
TEST(SumBound, IsNotMuchMoreThanOneRoundingCanLose) {
  const float rounded = 1.0f + 0x1p-24f;
  const double exact = 1 + 0x1p-24, lost = exact - rounded;
  EXPECT_EQ(lost, 0x1p-24);
  EXPECT_LE(lost, sum_bound<float>(1, exact).at(0));
  EXPECT_GT(1.001 * lost, sum_bound<float>(1, exact).at(0));
}

TEST(SumBound, HoldsForAFloatDotProductAndCatchesAMissingTerm) {
  constexpr std::size_t kTerms = 4096;
  const auto a = random_values<float>(kTerms, random_stream(1, "a"));
  const auto b = random_values<float>(kTerms, random_stream(1, "b"));
  float found = 0;
  double magnitudes = 0;
  AccurateSum exact;
  for (std::size_t i = 0; i < kTerms; ++i) {
    found += a[i] * b[i];
    magnitudes += std::abs(double{a[i]} * b[i]);
    exact.add_product(a[i], b[i]);
  }
  const double expected = exact.value();
  const Allowed allowed = sum_bound<float>(1 + additions_one_by_one(kTerms), magnitudes);
  const auto check = [&](float value) {
    return within<float, double>(std::span(&value, 1), std::span(&expected, 1), allowed).mismatches;
  };
  EXPECT_EQ(check(found), 0u);
  EXPECT_EQ(check(found + 1), 1u);
  EXPECT_EQ(check(static_cast<float>(expected + 1.01 * allowed.at(0))), 1u);
}

}  // namespace
}  // namespace cudalab::lab

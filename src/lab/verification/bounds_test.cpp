// Tests that bounds hold for real sums and detect a kernel that leaves terms out, and that accurate sums are
// accurate.
#include "lab/verification/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lab/random.h"
#include "messages/lab.h"

namespace cudalab::lab {

// The vectorized sums agree with AccurateSum for every length, however badly the terms cancel.

namespace {

template <class T>
class Accurate : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Accurate, Types);

TYPED_TEST(Accurate, DotIsTheAccurateSumOfAnyLength) {
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 1000u, 4099u}) {
    const auto a = random_values<TypeParam>(count, random_stream(1, "a"));
    const auto b = random_values<TypeParam>(count, random_stream(1, "b"));
    AccurateSum sum, magnitudes;
    for (std::size_t i = 0; i < count; ++i) {
      sum.add_product(a[i], b[i]);
      magnitudes.add(std::abs(double{a[i]} * double{b[i]}));
    }
    const Magnified found = accurate_dot(std::span<const TypeParam>(a), std::span<const TypeParam>(b));
    EXPECT_DOUBLE_EQ(found.value, sum.value()) << count;
    EXPECT_NEAR(found.magnitude, magnitudes.value(), 1e-12 * static_cast<double>(count));
  }
}

// The rounding errors within a lane and between lanes are kept.
TYPED_TEST(Accurate, DotKeepsWhatCancels) {
  std::vector<TypeParam> a(17, 0), b(17, 1);
  const auto big = static_cast<TypeParam>(0x1p100);
  a[0] = 1, a[3] = big, a[8] = 1, a[11] = static_cast<TypeParam>(0x1p-20), a[16] = -big;
  EXPECT_EQ(accurate_dot(std::span<const TypeParam>(a), std::span<const TypeParam>(b)).value, 2 + 0x1p-20);
  const std::vector<TypeParam> one{static_cast<TypeParam>(1 + 0x1p-20), -1};
  const std::vector<TypeParam> other{static_cast<TypeParam>(1 + 0x1p-20),
                                     static_cast<TypeParam>(1 + 0x1p-19)};
  EXPECT_EQ(accurate_dot(std::span<const TypeParam>(one), std::span<const TypeParam>(other)).value, 0x1p-40);
}

TYPED_TEST(Accurate, SquaresAreScaledByAPowerOfTwo) {
  const TypeParam huge = std::ldexp(TypeParam{1}, sizeof(TypeParam) == 4 ? 100 : 900);
  const double factor = 1 / static_cast<double>(huge);
  std::vector<TypeParam> x(11, huge);
  x[5] = -3 * huge;
  EXPECT_EQ(accurate_squares(std::span<const TypeParam>(x), factor), 19);
  EXPECT_EQ(accurate_squares(std::span<const TypeParam>{}, 1), 0);
}

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

// The formula with exact numbers: gamma of 2^22 roundings in float is (1/4) / (3/4).
TEST(SumBound, IsGammaTimesTheMagnitudes) {
  EXPECT_EQ(sum_bound<float>(1u << 22, 6).at(0), 2);
  EXPECT_EQ(sum_bound<float>(1u << 23, 6).at(0), 6);
  EXPECT_EQ(sum_bound<double>(std::uint64_t{1} << 52, 0.5).at(0), 0.5);
  EXPECT_EQ(sum_bound<float>(0, 6).at(0), 0);
  EXPECT_NEAR(sum_bound<float>(1, 1).at(0), 0x1p-24, 0x1p-46);
  EXPECT_NEAR(sum_bound<float>(100, 1).at(0), 100 * 0x1p-24, 1e-9);
  EXPECT_EQ(sum_bound<float>(100, 8).bound, msg::bound_sum(std::uint64_t{100}, 24, 8.0));
}

// 1 + u rounds to 1: one rounding may lose half of the last place, which the bound only just allows.
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

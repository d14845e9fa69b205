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

TEST(Additions, OfTerms) {
  EXPECT_EQ(additions_one_by_one(1), 0u);
  EXPECT_EQ(additions_one_by_one(256), 255u);
  EXPECT_EQ(additions_in_a_tree(1), 0u);
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

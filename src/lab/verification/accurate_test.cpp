// Sums by lanes are those of AccurateSum, for every length and however badly the terms cancel.
#include "lab/verification/accurate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lab/random.h"
#include "lab/verification/bounds.h"

namespace cudalab::lab {
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

// What one lane loses, and what goes from one lane to the next, is kept.
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

}  // namespace
}  // namespace cudalab::lab

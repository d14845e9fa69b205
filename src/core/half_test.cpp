// The 16-bit floating-point types match their definitions.
#include "core/half.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

TEST(Half, EveryNumberRoundTrips) {
  for (const HalfFormat format : {kF16Format, kBF16Format})
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = half_value(static_cast<std::uint16_t>(bits), format);
      if (!std::isnan(value))
        EXPECT_EQ(half_bits(value, format), bits);
      else
        EXPECT_EQ(half_bits(value, format), 0x7fff);
    }
}

TEST(Half, MatchesKnownValues) {
  EXPECT_EQ(half_bits(1, kF16Format), 0x3c00);
  EXPECT_EQ(half_bits(-2, kF16Format), 0xc000);
  EXPECT_EQ(half_bits(65504, kF16Format), 0x7bff);
  EXPECT_EQ(half_bits(0x1p-24, kF16Format), 0x0001);
  EXPECT_EQ(half_bits(1, kBF16Format), 0x3f80);
  EXPECT_EQ(half_value(0x3555, kF16Format), 0.333251953125);
}

TEST(Half, RoundsToTheNearestEven) {
  EXPECT_EQ(half_bits(1 + 0x1p-11, kF16Format), 0x3c00);            // a tie
  EXPECT_EQ(half_bits(1 + 3 * 0x1p-11, kF16Format), 0x3c02);        // a tie
  EXPECT_EQ(half_bits(1 + 0x1p-11 + 0x1p-40, kF16Format), 0x3c01);  // via float: a tie
  EXPECT_EQ(half_bits(0x1p-25, kF16Format), 0);
  EXPECT_EQ(half_bits(0x1.8p-25, kF16Format), 1);
  EXPECT_EQ(half_bits(0x1p-1000, kBF16Format), 0);
}

// Checks the midpoints between adjacent numbers, and the values just below and above them.
TEST(Half, ConversionFromSingleMatchesConversionFromDouble) {
  const auto check = [](float value) {
    EXPECT_EQ(f32_to_f16(value), half_bits(value, kF16Format)) << value;
    EXPECT_EQ(f32_to_bf16(value), half_bits(value, kBF16Format)) << value;
  };
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    for (const HalfFormat format : {kF16Format, kBF16Format}) {
      const auto low = static_cast<float>(half_value(static_cast<std::uint16_t>(bits), format));
      const auto high = static_cast<float>(half_value(static_cast<std::uint16_t>(bits + 1), format));
      const float tie = low / 2 + high / 2;
      for (const float value : {low, tie, std::nextafter(tie, low), std::nextafter(tie, high)}) check(value);
    }
}

TEST(Half, OverflowsToInfinity) {
  EXPECT_EQ(half_bits(65519.99, kF16Format), 0x7bff);
  EXPECT_EQ(half_bits(65520, kF16Format), 0x7c00);
  EXPECT_EQ(half_bits(-1e300, kF16Format), 0xfc00);
  EXPECT_EQ(half_bits(1e300, kBF16Format), 0x7f80);
}

}  // namespace
}  // namespace cudalab

// Numbers of 16 bits, as libraries store them: half precision and bfloat16, with their conversions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace cudalab::libraries {

// IEEE half precision. Rounds to nearest, ties to even.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

struct Bfloat16 {
  std::uint16_t bits = 0;
  Bfloat16() = default;
  explicit Bfloat16(float value);
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

inline Bfloat16::Bfloat16(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t kHalfUlp = 0x7fff, kQuiet = 0x40;
  bits = static_cast<std::uint16_t>(std::isnan(value) ? (word >> 16) | kQuiet
                                                      : (word + kHalfUlp + (word >> 16 & 1)) >> 16);
}

inline Half::Half(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
  constexpr std::uint32_t kInfinity = 0x7f800000, kOverflow = 0x477ff000, kSmallestNormal = 0x38800000;
  std::uint32_t half = 0;
  if (magnitude > kInfinity)
    half = 0x7e00;
  else if (magnitude >= kOverflow)
    half = 0x7c00;
  else if (magnitude < kSmallestNormal)  // the addition of 0.5 rounds to a multiple of 2^-24
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
           std::bit_cast<std::uint32_t>(0.5F);
  else
    half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  bits = static_cast<std::uint16_t>(sign | half);
}

inline Half::operator float() const {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16, exponent = bits >> 10 & 0x1f,
                      fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -value : value;
  }
  constexpr std::uint32_t kBias = 127 - 15, kAllOnes = 0x1f, kAllOnesOfFloat = 0xff;
  const std::uint32_t wide = exponent == kAllOnes ? kAllOnesOfFloat : exponent + kBias;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace cudalab::libraries

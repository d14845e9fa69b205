// The 16-bit floating-point types f16 and bf16: conversions from and to double and f32, with rounding to
// nearest even.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace cudalab {

struct HalfFormat {
  int exponent_bits, fraction_bits;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
};
inline constexpr HalfFormat kF16Format{5, 10}, kBF16Format{8, 7};

inline std::uint16_t half_bits(double value, HalfFormat format) {
  constexpr std::uint32_t kSign = 0x8000, kNan = 0x7fff;
  if (std::isnan(value)) return kNan;
  const std::uint32_t sign = std::signbit(value) ? kSign : 0;
  const double size = std::fabs(value);
  if (size == 0 || std::isinf(size))
    return static_cast<std::uint16_t>(sign | (size == 0 ? 0 : format.infinity()));
  const int least = 1 - format.bias();  // the exponent of subnormal numbers
  const int exponent = std::max(std::ilogb(size), least);
  if (exponent > format.bias()) return static_cast<std::uint16_t>(sign | format.infinity());
  // The fraction includes its leading 1, which adds one to the exponent. A carry out of the fraction adds
  // another.
  const auto fraction =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, format.fraction_bits - exponent)));
  const std::uint32_t bits =
      fraction + (static_cast<std::uint32_t>(exponent - least) << format.fraction_bits);
  return static_cast<std::uint16_t>(sign | std::min(bits, format.infinity()));
}

// ---- from and to f32 ---------------------------------------------------------------------------------
// These functions have no branches, so the compiler can vectorize loops over them. They are always inlined,
// because such loops are compiled for several instruction sets. NaN becomes 0x7fff, as on a GPU.
[[gnu::always_inline]] inline float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Shifts the fraction into place. The exponent is then too small by 112, also for subnormal numbers.
[[gnu::always_inline]] inline float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const std::uint32_t wide = (bits & 0x7c00) == 0x7c00 ? magnitude | 0x7f80'0000 : finite;
  return std::bit_cast<float>(wide | (bits & 0x8000u) << 16);
}

[[gnu::always_inline]] inline std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>(value != value ? 0x7fff : rounded);
}

[[gnu::always_inline]] inline std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fff'ffff;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // After adding one half, the last bit of the fraction is the last bit of a subnormal f16.
  const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                             std::bit_cast<std::uint32_t>(0.5f);
  std::uint32_t rounded = magnitude < std::bit_cast<std::uint32_t>(0x1p-14f) ? tiny : normal;
  rounded = magnitude >= std::bit_cast<std::uint32_t>(0x1p16f) ? 0x7c00 : rounded;
  rounded |= bits >> 16 & 0x8000;
  return static_cast<std::uint16_t>(value != value ? 0x7fff : rounded);
}

// The conversion is exact.
inline double half_value(std::uint16_t bits, HalfFormat format) {
  const float value = format.fraction_bits == kF16Format.fraction_bits ? f16_to_f32(bits) : bf16_to_f32(bits);
  return std::isnan(value) ? NAN : value;
}

}  // namespace cudalab

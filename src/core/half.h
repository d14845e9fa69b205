// The 16-bit floating-point types on the host: from and to double, rounding to the nearest, ties to even.
#pragma once

#include <algorithm>
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
  const int least = 1 - format.bias();  // subnormal numbers share its exponent
  const int exponent = std::max(std::ilogb(size), least);
  if (exponent > format.bias()) return static_cast<std::uint16_t>(sign | format.infinity());
  // The fraction with its leading 1, which adds one to the exponent; a carry out of it adds another.
  const auto fraction =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, format.fraction_bits - exponent)));
  const std::uint32_t bits =
      fraction + (static_cast<std::uint32_t>(exponent - least) << format.fraction_bits);
  return static_cast<std::uint16_t>(sign | std::min(bits, format.infinity()));
}

inline double half_value(std::uint16_t bits, HalfFormat format) {
  const std::uint32_t magnitude = bits & 0x7fffu, fraction = magnitude & ((1u << format.fraction_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (magnitude > format.infinity()) return NAN;
  if (magnitude == format.infinity()) return sign * INFINITY;
  const int least = 1 - format.bias() - format.fraction_bits;
  if (exponent == 0) return sign * std::ldexp(fraction, least);
  return sign * std::ldexp(fraction + (1u << format.fraction_bits), least + exponent - 1);
}

}  // namespace cudalab

// A floating-point number as an integer: rounded, then clamped to what the type holds (PTX ISA, "cvt").
// Included only by the sources of these conversions.
#pragma once

#include "vgpu/opcodes/conversions/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// What a NaN becomes: nothing, or the top bit where either side has 64 bits.
template <class To, class From>
constexpr To kFromNan = sizeof(To) == 8 || sizeof(From) == 8
                            ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1))
                            : To{0};

// `whole` has no fraction. A double holds every 32-bit limit.
template <class To>
To clamp32(double whole) {
  constexpr double kMin = std::numeric_limits<To>::min(), kMax = std::numeric_limits<To>::max();
  const double above = whole > kMin ? whole : kMin;
  return static_cast<To>(static_cast<std::int64_t>(above < kMax ? above : kMax));
}
template <class To, class From>
To clamp64(From whole) {
  constexpr From kBeyond = static_cast<From>(std::is_signed_v<To> ? 0x1p63 : 0x1p64);
  constexpr From kMin = std::is_signed_v<To> ? -kBeyond : From{0};
  const From above = whole > kMin ? whole : kMin;
  const bool fits = above < kBeyond;
  return fits ? static_cast<To>(fits ? above : From{0}) : std::numeric_limits<To>::max();
}
template <class To, Rounding R, class From>
To to_integer(From a) {
  const From whole = integral<R>(a);
  To result;
  if constexpr (sizeof(To) == 8)
    result = clamp64<To>(whole);
  else
    result = clamp32<To>(whole);
  return a != a ? kFromNan<To, From> : result;
}

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL

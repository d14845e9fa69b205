// Conversions between integers and floating-point numbers (PTX ISA, "cvt"). Include only in sources compiled
// per level.
#pragma once

#include <utility>

#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// Common parts of the conversions of integers and floating-point numbers.

namespace {

inline constexpr Types<kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64> kAllInts;
inline constexpr Types<kU32, kS32, kU64, kS64> kWideInts;

// rows.operator()<To, From>() for every pair of these.
template <Type To, class Rows, Type... From>
void for_each_source(Rows rows, Types<From...>) {
  (rows.template operator()<To, From>(), ...);
}
template <class Rows, Type... Of>
void for_each_pair(Types<Of...> types, Rows rows) {
  (for_each_source<Of>(rows, types), ...);
}
template <class Rows>
void for_each_rounding(Rows rows) {
  rows.template operator()<Rounding::kNearest>();
  rows.template operator()<Rounding::kZero>();
  rows.template operator()<Rounding::kDown>();
  rows.template operator()<Rounding::kUp>();
}
// rows.operator()<R, To>() for every rounding mode and each of these types.
template <class Rows, Type... To>
void for_each_rounding_to(Types<To...>, Rows rows) {
  for_each_rounding([&]<Rounding R>() { (rows.template operator()<R, To>(), ...); });
}

// "cvt.rn.f32.s32"
[[gnu::noinline, maybe_unused]] std::string cvt(std::string_view modifiers, Type to, Type from) {
  return std::string("cvt").append(modifiers) + with_type("", to) + with_type("", from);
}

// Converts every floating-point type to the narrowest C++ type that holds it.
inline float value(Half a) { return widen(a); }
inline float value(Brain a) { return widen(a); }
inline float value(float a) { return a; }
inline double value(double a) { return a; }

constexpr const char* integral_suffix(Rounding rounding) {
  constexpr const char* kNames[] = {".rni", ".rzi", ".rmi", ".rpi"};
  return kNames[static_cast<int>(rounding)];
}
template <Rounding R, class T>
T integral(T a) {
  if constexpr (R == Rounding::kNearest) return std::rint(a);
  if constexpr (R == Rounding::kZero) return std::trunc(a);
  if constexpr (R == Rounding::kDown) return std::floor(a);
  if constexpr (R == Rounding::kUp) return std::ceil(a);
}

// Conversions between floating-point types (PTX ISA, "cvt").

// Conversion to a wider type, or the same type. Doubles keep a NaN's payload, made quiet; f32 gets the
// canonical NaN, except if only bits are moved.
template <Type To, Type From>
struct Widen {
  auto operator()(Lane<From> a) const {
    constexpr bool kMovesBits = To == From || (To == kF32 && From == kBF16);
    const auto wide = static_cast<Lane<To>>(value(a));
    if constexpr (kMovesBits || To == kF64)
      return wide;
    else
      return one_nan(wide);
  }
};

// Conversion to a narrower type. A double's NaN keeps the upper bits of its payload.
template <class T>
T cut_nan(double nan) {
  const std::uint32_t single = bits_of(static_cast<float>(quiet(nan)));
  const std::uint32_t half = (single >> 16 & 0x8000) | 0x7c00 | (single >> 13 & 0x3ff);
  return {static_cast<std::uint16_t>(std::is_same_v<T, Brain> ? single >> 16 : half)};
}
template <Rounding R, Type To, class From>
[[gnu::noinline]] Lane<To> rounded(From a) {
  if constexpr (To == kF32) {
    return to_single<R>(a);
  } else {
    if constexpr (std::is_same_v<From, double>)
      if (a != a) return cut_nan<Lane<To>>(a);
    return narrow<R, Lane<To>>(a);
  }
}

// ---- existing conversions ------------------------------------------------------------------------------
// All pairs (To, From) that Widen converts.
template <class Rows>
void for_each_widening(Rows rows) {
  rows.template operator()<kF64, kF32>();
  rows.template operator()<kF64, kF16>();
  rows.template operator()<kF64, kBF16>();
  rows.template operator()<kF32, kF16>();
  rows.template operator()<kF32, kBF16>();
  rows.template operator()<kF32, kF32>();
  rows.template operator()<kF64, kF64>();
}

// Conversions from floating-point numbers to integers: rounded, then clamped to the type's range (PTX ISA,
// "cvt").

// The result for NaN: 0, or only the top bit if either type has 64 bits.
template <class To, class From>
constexpr To kFromNan = sizeof(To) == 8 || sizeof(From) == 8
                            ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1))
                            : To{0};

// `whole` has no fraction. A double holds every 32-bit limit exactly.
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

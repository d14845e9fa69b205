// What the conversions of integers and of floating-point numbers share. Included only by
// the sources of conversions.
#pragma once

#include <utility>

#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
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
// rows.operator()<R, To>() for every rounding and each of these.
template <class Rows, Type... To>
void for_each_rounding_to(Types<To...>, Rows rows) {
  for_each_rounding([&]<Rounding R>() { (rows.template operator()<R, To>(), ...); });
}

// "cvt.rn.f32.s32"
[[gnu::noinline, maybe_unused]] std::string cvt(std::string_view modifiers, Type to, Type from) {
  return std::string("cvt").append(modifiers) + with_type("", to) + with_type("", from);
}

// Every floating-point type as the widest that it fits in.
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

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL

// What the conversions of integers and of floating-point numbers share. Included only by
// opcodes/convert*.cpp.
#pragma once

#include <utility>

#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

inline constexpr Types<kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64> kAllInts;
inline constexpr Types<kU32, kS32, kU64, kS64> kWideInts;

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

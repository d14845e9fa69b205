// The 16-bit floating-point types, f16 and bf16: their lanes, and how they become f32 and back. Without
// branches, so that the loops over lanes become vector code. Included only where lanes.h
// is.
#pragma once

#include "core/half.h"
#include "vgpu/opcodes/pairs.h"
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

struct Half {
  std::uint16_t bits;
};  // f16:  1 bit sign, 5 exponent, 10 fraction
struct Widened {
  float value;
};  // an f16 that has become an f32
struct Brain {
  std::uint16_t bits;
};  // bf16: 1 bit sign, 8 exponent, 7 fraction: the upper half of an f32

template <>
struct LaneOf<kF16> {
  using type = Half;
};
template <>
struct LaneOf<kBF16> {
  using type = Brain;
};

inline constexpr std::uint16_t kNanBits16 = 0x7fff;

inline bool is_nan(Half value) { return (value.bits & 0x7fff) > 0x7c00; }
inline bool is_nan(Brain value) { return (value.bits & 0x7fff) > 0x7f80; }
inline bool is_subnormal(Half value) { return (value.bits & 0x7c00) == 0; }

// ---- to f32: exact -----------------------------------------------------------------------------------
inline float widen(Brain value) { return bf16_to_f32(value.bits); }
inline float widen(Half value) { return f16_to_f32(value.bits); }
inline float widen(Widened value) { return value.value; }

// ---- from f32 ----------------------------------------------------------------------------------------
template <class T>
T nearest(float value);

template <>
inline Brain nearest<Brain>(float value) {
  return {f32_to_bf16(value)};
}
template <>
inline Half nearest<Half>(float value) {
  return {f32_to_f16(value)};
}

// In any direction, from an f32 that is exact or rounded to odd.
template <Rounding R, class T>
T narrow(float exact) {
  const T rounded = nearest<T>(exact);
  if constexpr (R == Rounding::kNearest) return rounded;
  const float back = widen(rounded);
  const bool negative = is_negative(exact);
  const bool outwards = R != Rounding::kZero && (R == Rounding::kDown) == negative;
  const int too_far = std::fabs(back) > std::fabs(exact) && !outwards;
  const int too_near = std::fabs(back) < std::fabs(exact) && outwards;
  return {static_cast<std::uint16_t>(rounded.bits - too_far + too_near)};
}
template <Rounding R, class T>
T narrow(double exact) {
  return narrow<R, T>(to_odd_single(exact));
}

inline Brain flush(Brain value) { return value; }  // it has no .ftz forms
inline Half flush(Half value) {
  return {static_cast<std::uint16_t>(is_subnormal(value) ? value.bits & 0x8000 : value.bits)};
}

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL

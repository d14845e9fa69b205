// The 16-bit floating-point types, f16 and bf16: their lanes, and how they become f32 and back. Without
// branches, so that the loops over lanes become vector code. Included only by opcodes/*.level.cpp, like
// lanes.h.
#pragma once

#include "vgpu/opcodes/pairs.h"
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

struct Half {
  std::uint16_t bits;
};  // f16:  1 bit sign, 5 exponent, 10 fraction
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
inline float widen(Brain value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

// The fraction moves into place; the exponent is then 112 too small, also for subnormal numbers.
inline float widen(Half value) {
  const std::uint32_t magnitude = (value.bits & 0x7fffu) << 13;
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const std::uint32_t bits = (value.bits & 0x7c00) == 0x7c00 ? magnitude | 0x7f80'0000 : finite;
  return std::bit_cast<float>(bits | (value.bits & 0x8000u) << 16);
}

// ---- from f32 ----------------------------------------------------------------------------------------
template <class T>
T nearest(float value);

template <>
inline Brain nearest<Brain>(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return {static_cast<std::uint16_t>(value != value ? kNanBits16 : rounded)};
}

template <>
inline Half nearest<Half>(float value) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7fff'ffff;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Added to one half, the fraction's last bit is the last bit of a subnormal f16.
  const std::uint32_t tiny = bits_of(std::bit_cast<float>(magnitude) + 0.5f) - bits_of(0.5f);
  std::uint32_t rounded = magnitude < bits_of(0x1p-14f) ? tiny : normal;
  rounded = magnitude >= bits_of(0x1p16f) ? 0x7c00 : rounded;
  rounded |= bits >> 16 & 0x8000;
  return {static_cast<std::uint16_t>(value != value ? kNanBits16 : rounded)};
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

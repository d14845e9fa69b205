// The 16-bit floating-point types f16 and bf16: conversion to and from f32, arithmetic, and their rows.
#pragma once

#include "core/half.h"
#include "vgpu/opcodes/lanes.h"
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// The 16-bit floating-point types f16 and bf16: their lanes, and conversion to and from f32. Branch-free, so
// loops over lanes can be vectorized. Include only where lanes.h is included.

namespace {

struct Half {
  std::uint16_t bits;
};  // f16:  1 bit sign, 5 exponent, 10 fraction
struct Widened {
  float value;
};  // an f16 widened to an f32
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

// In any rounding mode, from an f32 that is exact or rounded to odd.
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

inline Brain flush(Brain value) { return value; }  // there are no .ftz forms
inline Half flush(Half value) {
  return {static_cast<std::uint16_t>(is_subnormal(value) ? value.bits & 0x8000 : value.bits)};
}

// Instructions on f16 and bf16, with rows for one or two numbers per register (PTX ISA, "Half Precision
// Floating-Point Instructions").

template <Type>
inline constexpr Type kPairOf = kNone;
template <>
inline constexpr Type kPairOf<kF16> = kF16x2;
template <>
inline constexpr Type kPairOf<kBF16> = kBF16x2;

// A row for one number per register, and a row for two.
template <Type T, int N, class F>
void both(OpcodeTable& table, const std::string& name, F f) {
  op<N>(table, Types<T>{}, name.c_str(), f);
  constexpr Type kPair = kPairOf<T>;
  pair_row<Lane<T>, N>(table, with_type(name.c_str(), kPair), kPair, kPair, f);
}

// ---- arithmetic --------------------------------------------------------------------------------------
// f32 has more than twice the digits of f16 and bf16, so rounding a sum twice equals rounding it once. A
// product of bf16 can underflow in f32, so it is computed as a double. fma needs every digit, so its sum is
// rounded to odd. For f16, single precision suffices for that: products are exact and nothing underflows.
struct Add {
  template <class T>
  float operator()(T a, T b) const {
    return widen(a) + widen(b);
  }
};
struct Sub {
  template <class T>
  float operator()(T a, T b) const {
    return widen(a) - widen(b);
  }
};
struct Mul {
  template <class T>
  float operator()(T a, T b) const {
    return widen(a) * widen(b);
  }
  float operator()(Brain a, Brain b) const { return to_odd_single(double{widen(a)} * widen(b)); }
};
struct Fma {
  template <class T>
  float operator()(T a, T b, T c) const {
    return odd_sum(widen(a) * widen(b), widen(c));
  }
  float operator()(Brain a, Brain b, Brain c) const {
    return to_odd_single(odd_sum(double{widen(a)} * widen(b), double{widen(c)}));
  }
};

// Operations with two operands, with their names; rounding to nearest is the only mode.
template <class Rows>
void for_each_of_two(Rows rows) {
  rows("add", Add{});
  rows("sub", Sub{});
  rows("mul", Mul{});
  rows("add.rn", Add{});
  rows("sub.rn", Sub{});
  rows("mul.rn", Mul{});
}

// ---- sign --------------------------------------------------------------------------------------------
template <class T>
T one_nan(T value) {
  return is_nan(value) ? T{kNanBits16} : value;
}
template <class T>
T negated(T value) {
  return one_nan(T{static_cast<std::uint16_t>(value.bits ^ 0x8000)});
}
template <class T>
T magnitude(T value) {
  return one_nan(T{static_cast<std::uint16_t>(value.bits & 0x7fff)});
}

// ---- minimum and maximum -----------------------------------------------------------------------------
template <bool Min, bool NanWins>
struct Extreme {
  template <class T>
  T operator()(T a, T b) const {
    const float x = widen(a), y = widen(b);
    const auto zero = static_cast<std::uint16_t>(Min ? a.bits | b.bits : a.bits & b.bits);
    std::uint16_t chosen = (Min ? x < y : x > y) ? a.bits : b.bits;
    chosen = x == y ? zero : chosen;
    chosen = x != x ? b.bits : y != y ? a.bits : chosen;
    if constexpr (NanWins) chosen = x != x ? a.bits : y != y ? b.bits : chosen;
    return one_nan(T{chosen});
  }
};

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL

// What instructions on f16 and bf16 compute, and their rows for one or two numbers in a register (PTX ISA,
// "Half Precision Floating-Point Instructions"). Included only by opcodes/half*.cpp.
#pragma once

#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <Type>
inline constexpr Type kPairOf = kNone;
template <>
inline constexpr Type kPairOf<kF16> = kF16x2;
template <>
inline constexpr Type kPairOf<kBF16> = kBF16x2;

// A row for one number a register, and one for two.
template <Type T, int N, class F>
void both(OpcodeTable& table, const std::string& name, F f) {
  op<N>(table, Types<T>{}, name.c_str(), f);
  constexpr Type kPair = kPairOf<T>;
  pair_row<Lane<T>, N>(table, with_type(name.c_str(), kPair), kPair, kPair, f);
}

// ---- arithmetic --------------------------------------------------------------------------------------
// f32 has more than twice the digits of f16 and bf16, so that rounding a sum twice is as good as once. A
// product of bf16 can underflow in f32: that goes by way of a double. fma needs every digit: its sum is
// rounded to odd. Of f16, single precision has room for that, too: products are exact in it, and nothing
// underflows.
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

// Those of two numbers, with the names that they go by; rounding to nearest is the only one there is.
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

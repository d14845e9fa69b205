// A floating-point number as one of another type (PTX ISA, "cvt"). Included only by
// the sources of such conversions.
#pragma once

#include "vgpu/opcodes/conversions/convert.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// To a wider type, or the same. Doubles keep a NaN's digits, made quiet; f32 gets the one NaN, except where
// only bits move.
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

// To a narrower type. The upper digits of a double's NaN stay.
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

// ---- which there are -----------------------------------------------------------------------------------
// To, From of what Widen does.
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

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL

// Floating-point results as a GPU computes them: directed rounding, NaNs and subnormal numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "vgpu/opcodes/lanes.h"
#include "vgpu/opcodes/single.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

// Directed rounding while the host rounds to nearest: computed from the nearest result and the side on which
// the exact value lies. Include only where lanes.h is included.
//
// Single precision uses a double that is rounded to odd: 53 bits whose last one is sticky, from which every
// rounding to 24 bits or fewer equals the rounding of the exact value. Double precision uses the sign of the
// nearest result's error, and steps to the neighbouring value if the rounding mode requires it.

namespace {

// The overloads for half precision are in half.h.
using vgpu::flush;
using vgpu::one_nan;

enum class Rounding { kNearest, kZero, kDown, kUp };

constexpr const char* suffix(Rounding rounding) {
  constexpr const char* kNames[] = {".rn", ".rz", ".rm", ".rp"};
  return kNames[static_cast<int>(rounding)];
}

template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<double> {
  using type = std::uint64_t;
};
template <class T>
auto bits_of(T value) {
  return std::bit_cast<typename BitsOf<T>::type>(value);
}
inline bool is_negative(float value) { return bits_of(value) >> 31; }
inline bool is_negative(double value) { return bits_of(value) >> 63; }

template <class... Operands>
float with_its_nan(float result, Operands...) {
  return one_nan(result);
}

// In double precision a NaN operand is passed on, made quiet: the second operand's before the third's before
// the first's. An invalid operation returns the NaN below.
inline constexpr std::uint64_t kNanBits64 = 0xfff8'0000'0000'0000;
inline constexpr std::uint64_t kQuietBit64 = 0x0008'0000'0000'0000;
inline double quiet(double nan) { return std::bit_cast<double>(bits_of(nan) | kQuietBit64); }
inline double nan_of(double a) { return a != a ? quiet(a) : std::bit_cast<double>(kNanBits64); }
inline double nan_of(double a, double b) { return b != b ? quiet(b) : nan_of(a); }
inline double nan_of(double a, double b, double c) { return b != b ? quiet(b) : nan_of(a, c); }
template <class... Operands>
double with_its_nan(double result, Operands... operands) {
  return result != result ? nan_of(operands...) : result;
}

// A result counts as subnormal if it is so before rounding, which a scaled copy shows.
inline constexpr float kScale = 0x1p24f;
inline float zero_if_tiny(float result, float scaled) {
  return std::fabs(scaled) < 0x1p-126f * kScale ? std::copysign(0.0f, result) : one_nan(result);
}
inline float product_or_zero(float a, float b) { return zero_if_tiny(a * b, a * kScale * b); }
// .sat: into [0, 1]; NaN becomes 0.
template <class T>
T saturate(T value) {
  const T low = value > 0 ? value : T{0};
  return low < 1 ? low : T{1};
}
// .relu: negative numbers become 0, NaN stays.
inline float rectify(float value) { return value <= 0 ? 0.0f : value; }

// ---- neighbours --------------------------------------------------------------------------------------
template <class T>
T away_from_zero(T value) {
  return std::bit_cast<T>(bits_of(value) + 1);
}
template <class T>
T towards_zero(T value) {
  return std::bit_cast<T>(bits_of(value) - 1);
}

// From the nearest value and the sign of (exact - nearest). Infinity counts as the value above the largest
// finite one.
template <Rounding R, class T>
T directed(T nearest, T error) {
  const bool negative = is_negative(nearest);
  const bool beyond = negative ? error < 0 : error > 0;  // the exact value is further from zero
  const bool before = negative ? error > 0 : error < 0;
  if constexpr (R == Rounding::kZero) return before ? towards_zero(nearest) : nearest;
  if constexpr (R == Rounding::kDown)
    return negative ? (beyond ? away_from_zero(nearest) : nearest)
                    : (before ? towards_zero(nearest) : nearest);
  if constexpr (R == Rounding::kUp)
    return negative ? (before ? towards_zero(nearest) : nearest)
                    : (beyond ? away_from_zero(nearest) : nearest);
  return nearest;
}

// A sum of exactly zero is -0 when rounding down, unless both terms are +0.
template <Rounding R, class T>
T signed_zero(T sum, T a, T b) {
  if constexpr (R == Rounding::kDown)
    if (sum == 0) return bits_of(a) == 0 && bits_of(b) == 0 ? T{0} : -T{0};
  return sum;
}

// ---- rounding to odd ---------------------------------------------------------------------------------
// a + b = sum + error, exactly (Knuth); NaN where a term is not finite.
template <class T>
T sum_error(T a, T b, T sum) {
  const T b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}
// `nearest`, with its last bit set if it is not exact, on the side of the exact value.
template <class T>
T to_odd(T nearest, T error) {
  using Bits = typename BitsOf<T>::type;
  const Bits bits = bits_of(nearest), negative = bits >> (8 * sizeof(T) - 1), below = error < 0;
  const Bits inexact = below | Bits{error > 0}, step = 1 - 2 * (below ^ negative);
  // Branch-free, so loops can be vectorized.
  return std::bit_cast<T>(bits + (step & (0 - (inexact & ~bits & 1))));
}
template <class T>
T odd_sum(T a, T b) {
  const T sum = a + b;
  return to_odd(sum, sum_error(a, b, sum));
}

// A double, exact or rounded to odd, to single precision.
template <Rounding R>
float to_single(double exact) {
  const auto nearest = static_cast<float>(exact);
  const double error = exact - nearest;  // NaN if `exact` was already infinite
  return directed<R>(nearest, static_cast<float>(error > 0 ? 1 : error < 0 ? -1 : 0));
}
// .ftz: results that are subnormal with 24 significant bits become zero. Scaled, they have all 24 bits.
template <Rounding R>
float to_single_or_zero(double exact) {
  const bool tiny = std::fabs(to_single<R>(exact * 0x1p24)) < 0x1p-102f;
  return tiny ? static_cast<float>(std::copysign(0.0, exact)) : to_single<R>(exact);
}
inline float to_odd_single(double exact) {
  const float cut = to_single<Rounding::kZero>(exact);
  return exact != exact ? cut : std::bit_cast<float>(bits_of(cut) | (cut != exact ? 1u : 0u));
}

// ---- the operations in single precision, exact or rounded to odd -------------------------------------
template <Rounding R>
[[gnu::noinline]] double wide_sum(float a, float b) {
  return signed_zero<R>(odd_sum(double{a}, double{b}), double{a}, double{b});
}
template <Rounding R>
[[gnu::noinline]] double wide_fma(float a, float b, float c) {
  const double product = double{a} * b;
  return signed_zero<R>(odd_sum(product, double{c}), product, double{c});
}
[[gnu::noinline, maybe_unused]] double wide_quotient(float a, float b) {
  const double quotient = double{a} / b;
  const double rest = std::fma(-quotient, double{b}, double{a});
  return quotient == 0 || std::isinf(quotient) ? quotient : to_odd(quotient, b < 0 ? -rest : rest);
}
[[gnu::noinline, maybe_unused]] double wide_root(float a) {
  const double root = std::sqrt(double{a});
  return root == 0 || std::isinf(root) ? root : to_odd(root, std::fma(-root, root, double{a}));
}

// ---- the operations in double precision --------------------------------------------------------------
// The nearest result overflowed from finite operands: the exact value is smaller in magnitude.
inline double overflow_error(double nearest) { return -nearest; }

// value = scaled * 2^exponent with 1 <= |scaled| < 2; zero is unchanged.
struct Scaled {
  double value;
  int exponent;
};
inline Scaled scaled(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {2 * fraction, exponent - 1};
}
inline bool finite(double value) { return std::fabs(value) <= std::numeric_limits<double>::max(); }

template <Rounding R>
[[gnu::noinline]] double add_rounded(double a, double b) {
  const double sum = a + b;
  if (!finite(a) || !finite(b)) return sum;
  const double error = finite(sum) ? sum_error(a, b, sum) : overflow_error(sum);
  return signed_zero<R>(directed<R>(sum, error), a, b);
}
template <Rounding R>
[[gnu::noinline]] double multiply_rounded(double a, double b) {
  const double product = a * b;
  if (!finite(a) || !finite(b) || a == 0 || b == 0) return product;
  if (!finite(product)) return directed<R>(product, overflow_error(product));
  // scaled: the error does not underflow
  const Scaled x = scaled(a), y = scaled(b);
  return directed<R>(product, std::fma(x.value, y.value, -std::ldexp(product, -x.exponent - y.exponent)));
}
template <Rounding R>
[[gnu::noinline]] double divide_rounded(double a, double b) {
  const double quotient = a / b;
  if (!finite(a) || !finite(b) || a == 0 || b == 0) return quotient;
  if (!finite(quotient)) return directed<R>(quotient, overflow_error(quotient));
  const Scaled x = scaled(a), y = scaled(b);
  const double rest = std::fma(-std::ldexp(quotient, y.exponent - x.exponent), y.value, x.value);
  return directed<R>(quotient, b < 0 ? -rest : rest);
}
template <Rounding R>
[[gnu::noinline]] double root_rounded(double a) {
  const double root = std::sqrt(a);
  if (!(root > 0) || !finite(root)) return root;
  const Scaled x = scaled(a);
  const int even = x.exponent & ~1;
  const double half_scaled = std::ldexp(root, -even / 2);
  return directed<R>(root, std::fma(-half_scaled, half_scaled, std::ldexp(a, -even)));
}

// The sign of a*b + c - nearest, where nearest is that sum rounded: Boldo and Muller, "Exact and Approximated
// Error of the FMA". Everything is scaled so that |a*b| is near 1; a far smaller term can be replaced by any
// other small term.
inline double fma_error(double a, double b, double c, double nearest) {
  constexpr int kFar = 300;
  const Scaled x = scaled(a), y = scaled(b);
  const int shift = -x.exponent - y.exponent;
  const int c_exponent = c == 0 ? -kFar : scaled(c).exponent + shift;
  if (c_exponent > kFar) return x.value * y.value;
  const double z = c == 0 ? 0 : c_exponent < -kFar ? std::copysign(0x1p-300, c) : std::ldexp(c, shift);
  const double r = std::ldexp(nearest, shift);
  const double product = x.value * y.value, product_error = std::fma(x.value, y.value, -product);
  const double low = z + product_error, low_error = sum_error(z, product_error, low);
  const double high = product + low, high_error = sum_error(product, low, high);
  return ((high - r) + high_error) + low_error;
}
template <Rounding R>
[[gnu::noinline]] double fma_rounded(double a, double b, double c) {
  const double nearest = std::fma(a, b, c);
  if (!finite(a) || !finite(b) || !finite(c)) return nearest;
  if (a == 0 || b == 0) return signed_zero<R>(nearest, a * b, c);
  if (!finite(nearest)) return directed<R>(nearest, overflow_error(nearest));
  // a*b is not zero even if its nearest double is: a sum that underflows keeps its sign, one that cancels has
  // none.
  const double error = fma_error(a, b, c, nearest);
  if (nearest == 0 && error == 0) return signed_zero<R>(0.0, 1.0, -1.0);
  return directed<R>(nearest, error);
}

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL

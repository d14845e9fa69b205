// Functions that a GPU only approximates (PTX ISA, "Floating-Point Instructions": .approx and .full). Here
// they are as exact as their type; docs/approximate-functions.md states the GPU's errors.
#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// ---- the special function unit: it flushes subnormal operands and results ----------------------------
bool subnormal(float a) { return std::fabs(a) < 0x1p-126f; }  // zero too

float unit_rcp(float a) { return one_nan(flush(1 / flush(a))); }
float unit_sqrt(float a) { return one_nan(std::sqrt(flush(a))); }
float unit_rsq(float a) { return one_nan(static_cast<float>(1 / std::sqrt(double{flush(a)}))); }

// The mathematics library's functions of doubles as series without branches, so loops over lanes can be
// vectorized. Rounded to single precision, they equal the library's results for single-precision operands; a
// test checks many of them.
double power_series(double a) {
  constexpr double kShift = 0x1.8p52;  // adding it leaves an integer in the lowest bits
  const double clamped = a < -200 ? -200 : a > 200 ? 200 : a, shifted = clamped + kShift;
  const double part = clamped - (shifted - kShift);
  constexpr double kLn2 = 0.693147180559945309417232121458;
  constexpr double k1 = kLn2, k2 = k1 * kLn2 / 2, k3 = k2 * kLn2 / 3, k4 = k3 * kLn2 / 4, k5 = k4 * kLn2 / 5,
                   k6 = k5 * kLn2 / 6, k7 = k6 * kLn2 / 7, k8 = k7 * kLn2 / 8, k9 = k8 * kLn2 / 9,
                   k10 = k9 * kLn2 / 10, k11 = k10 * kLn2 / 11, k12 = k11 * kLn2 / 12, k13 = k12 * kLn2 / 13;
  double sum = k13 * part + k12;
  sum = sum * part + k11;
  sum = sum * part + k10;
  sum = sum * part + k9;
  sum = sum * part + k8;
  sum = sum * part + k7;
  sum = sum * part + k6;
  sum = sum * part + k5;
  sum = sum * part + k4;
  sum = sum * part + k3;
  sum = sum * part + k2;
  sum = sum * part + k1;
  const std::uint64_t exponent = bits_of(shifted) << 52;
  return a != a ? a : std::bit_cast<double>(bits_of(1.0 + sum * part) + exponent);
}

// For 0 and normal numbers. With m from sqrt(1/2) to sqrt(2) and s = (m - 1) / (m + 1), ln m = 2 (s + s^3/3 +
// …).
double logarithm_series(float a) {
  constexpr std::uint32_t kRootOfHalf = 0x3f3504f3;
  const std::uint32_t bits = bits_of(a);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - kRootOfHalf) >> 23;
  const double m = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(exponent) << 23));
  const double s = (m - 1) / (m + 1), z = s * s;
  constexpr double kScale = 2.88539008177792681471984936200378;  // 2 / ln 2
  double sum = kScale / 23;
  sum = sum * z + kScale / 21;
  sum = sum * z + kScale / 19;
  sum = sum * z + kScale / 17;
  sum = sum * z + kScale / 15;
  sum = sum * z + kScale / 13;
  sum = sum * z + kScale / 11;
  sum = sum * z + kScale / 9;
  sum = sum * z + kScale / 7;
  sum = sum * z + kScale / 5;
  sum = sum * z + kScale / 3;
  const double finite = exponent + (s * kScale + s * z * sum);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double positive = a <= std::numeric_limits<float>::max() ? finite : double{a};
  return a == 0 ? -kInfinity : a < 0 ? std::numeric_limits<double>::quiet_NaN() : positive;
}

float unit_lg2(float a) { return one_nan(static_cast<float>(logarithm_series(flush(a)))); }
float unit_ex2(float a) { return one_nan(flush(static_cast<float>(power_series(flush(a))))); }
float wide_ex2(float a) { return one_nan(static_cast<float>(power_series(a))); }
// Not inlined into each row: the call of the mathematics library dominates anyway.
[[gnu::noinline]] float unit_tanh(float a) { return one_nan(static_cast<float>(std::tanh(double{a}))); }

// Angles are measured in turns. The unit uses 25 fractional bits of a turn: two for the quadrant, the others
// for the position in it, which it mirrors by inverting the bits.
constexpr std::int32_t kPlaces = 23, kLastPlace = (1 << kPlaces) - 1;
struct Place {
  std::int32_t quadrant, in_quadrant;
};
Place place_of(float turns) {
  const double size = std::fabs(double{turns}), beyond = size - std::floor(size);
  const double part = size < 0x1p23 ? beyond : 0;
  const auto units = static_cast<std::int32_t>(part * (4 << kPlaces));
  return {units >> kPlaces, units & kLastPlace};
}

// The sine's series, which within a quadrant is as exact as the mathematics library: rounded to single
// precision, it is equal at each of the 2^23 positions (a test checks them). Loops over lanes can be
// vectorized.
double sine_in_quadrant(double x) {
  const double z = x * x;
  double sum = 1.0 / 51090942171709440000.0;  // 21!
  sum = sum * z - 1.0 / 121645100408832000.0;
  sum = sum * z + 1.0 / 355687428096000.0;
  sum = sum * z - 1.0 / 1307674368000.0;
  sum = sum * z + 1.0 / 6227020800.0;
  sum = sum * z - 1.0 / 39916800.0;
  sum = sum * z + 1.0 / 362880.0;
  sum = sum * z - 1.0 / 5040.0;
  sum = sum * z + 1.0 / 120.0;
  sum = sum * z - 1.0 / 6.0;
  return x + x * z * sum;
}
// `mirrored`, `negative`: 0 or 1.
float quarter_sine(std::int32_t in_quadrant, std::int32_t mirrored, std::uint32_t negative) {
  constexpr double kUnit = 6.283185307179586476925 / (4 << kPlaces);
  const auto value = static_cast<float>(sine_in_quadrant(kUnit * (in_quadrant ^ (-mirrored & kLastPlace))));
  return std::bit_cast<float>(bits_of(value) | negative << 31);
}
float or_nan(float value, float turns) {
  return std::fabs(turns) <= std::numeric_limits<float>::max() ? value : one_nan(NAN);
}
float unit_sin(float turns) {
  const Place place = place_of(turns);
  const std::uint32_t negative = bits_of(turns) >> 31 ^ static_cast<std::uint32_t>(place.quadrant >> 1);
  return or_nan(quarter_sine(place.in_quadrant, place.quadrant & 1, negative), turns);
}
float unit_cos(float turns) {
  const Place place = place_of(turns);
  const auto negative = static_cast<std::uint32_t>((place.quadrant ^ place.quadrant >> 1) & 1);
  return or_nan(quarter_sine(place.in_quadrant, ~place.quadrant & 1, negative), turns);
}

// ---- the compiler's code around the unit -------------------------------------------------------------
// Without .ftz, operands that the unit would flush are scaled, and the results are scaled back.
constexpr float kLarge = 0x1p126f, kUp = 0x1p24f;

float reciprocal(float a) {
  const float scale = std::fabs(a) > kLarge ? 0.25f : subnormal(a) ? kUp : 1.0f;
  return one_nan(scale * unit_rcp(a * scale));
}
// Each function is called in one place: two calls would cause a branch, or be executed both.
float scaled_up(float a) { return subnormal(a) ? a * kUp : a; }
float root(float a) { return unit_sqrt(scaled_up(a)) * (subnormal(a) ? 0x1p-12f : 1.0f); }
float reciprocal_root(float a) { return unit_rsq(scaled_up(a)) * (subnormal(a) ? 0x1p12f : 1.0f); }
float logarithm(float a) { return unit_lg2(scaled_up(a)) - (subnormal(a) ? 24.0f : 0.0f); }
float power_of_two(float a) {
  const bool is_tiny = a < -126;
  const float power = unit_ex2(a * (is_tiny ? 0.5f : 1.0f));
  return power * (is_tiny ? power : 1.0f);
}
// Truncation without a branch.
float turns(float angle) {
  const double exact = double{angle} * 0.15915494f;
  const auto nearest = static_cast<float>(exact);
  const std::uint32_t is_too_far = std::fabs(double{nearest}) > std::fabs(exact);
  return std::bit_cast<float>(bits_of(nearest) - is_too_far);
}
float quotient(float a, float b) {
  const float scale = subnormal(b) ? kUp : 1.0f;
  return one_nan(a * scale * unit_rcp(b * scale));
}
float quotient_in_full(float a, float b) {
  const float scale = std::fabs(b) > kLarge ? 0.25f : 1.0f;
  return quotient(a * scale, b * scale);
}

// ---- double precision --------------------------------------------------------------------------------
// The unit uses only the upper word of a double, and returns only an upper word.
double upper_word(double a) { return std::bit_cast<double>(bits_of(a) & 0xffff'ffff'0000'0000); }
double flush_wide(double a) {
  return std::fabs(a) < std::numeric_limits<double>::min() ? std::copysign(0.0, a) : a;
}
double to_upper_word(double a) {
  return a != a ? std::bit_cast<double>(0x7fff'ffff'0000'0000) : flush_wide(upper_word(a));
}
[[gnu::noinline]] double unit_rcp_upper(double a) { return to_upper_word(1 / flush_wide(upper_word(a))); }
[[gnu::noinline]] double unit_rsq_upper(double a) {
  return to_upper_word(1 / std::sqrt(flush_wide(upper_word(a))));
}

// One Newton step from the unit's value, as the compiler generates it.
[[gnu::noinline]] double reciprocal_root_wide(double a) {
  if (!(a >= std::numeric_limits<double>::min() && a < 0x1p1023)) return with_its_nan(1 / std::sqrt(a), a);
  const double guess = unit_rsq_upper(a), error = std::fma(a, -(guess * guess), 1.0);
  return std::fma(std::fma(error, 0.375, 0.5), guess * error, guess);
}

// ---- rows --------------------------------------------------------------------------------------------
template <class F, class Ftz>
void single(OpcodeTable& table, const std::string& name, F f, Ftz ftz) {
  row<kF32, kF32>(table, name + ".f32", f);
  row<kF32, kF32>(table, name + ".ftz.f32", ftz);
}
template <class F, class Ftz>
void quotients(OpcodeTable& table, const std::string& name, F f, Ftz) {
  row<kF32, kF32, kF32>(table, name + ".f32", f);
  row<kF32, kF32, kF32>(table, name + ".ftz.f32", [](float a, float b) { return Ftz{}(flush(a), flush(b)); });
}

// The 16-bit functions truncate their results.
template <Type T, Type Pair, class F>
void narrow_rows(OpcodeTable& table, const char* name, F) {
  constexpr auto one = [](Lane<T> a) { return narrow<Rounding::kZero, Lane<T>>(F{}(widen(a))); };
  row<T, T>(table, with_type(name, T), one);
  pair_row<Lane<T>, 1>(table, with_type(name, Pair), Pair, Pair, one);
}

}  // namespace

void add_float_approximate_rows(OpcodeTable& table) {
  single(
      table, "rcp.approx", [](float a) { return reciprocal(a); }, [](float a) { return unit_rcp(a); });
  single(
      table, "sqrt.approx", [](float a) { return root(a); }, [](float a) { return unit_sqrt(a); });
  single(
      table, "rsqrt.approx", [](float a) { return reciprocal_root(a); }, [](float a) { return unit_rsq(a); });
  single(
      table, "lg2.approx", [](float a) { return logarithm(a); }, [](float a) { return unit_lg2(a); });
  single(
      table, "ex2.approx", [](float a) { return power_of_two(a); }, [](float a) { return unit_ex2(a); });
  single(
      table, "sin.approx", [](float a) { return unit_sin(turns(a)); },
      [](float a) { return unit_sin(turns(flush(a))); });
  single(
      table, "cos.approx", [](float a) { return unit_cos(turns(a)); },
      [](float a) { return unit_cos(turns(flush(a))); });
  row<kF32, kF32>(table, "tanh.approx.f32", [](float a) { return unit_tanh(a); });
  quotients(
      table, "div.approx", [](float a, float b) { return quotient(a, b); },
      [](float a, float b) { return product_or_zero(a, unit_rcp(b)); });
  quotients(
      table, "div.full", [](float a, float b) { return quotient_in_full(a, b); },
      [](float a, float b) {
        const float scale = std::fabs(b) > kLarge ? 0.25f : 1.0f;
        return product_or_zero(flush(a * scale), unit_rcp(b * scale));
      });
  row<kF64, kF64>(table, "rcp.approx.ftz.f64", [](double a) { return unit_rcp_upper(a); });
  row<kF64, kF64>(table, "rsqrt.approx.ftz.f64", [](double a) { return unit_rsq_upper(a); });
  row<kF64, kF64>(table, "rsqrt.approx.f64", [](double a) { return reciprocal_root_wide(a); });

  narrow_rows<kF16, kF16x2>(table, "ex2.approx", [](float a) { return wide_ex2(a); });
  narrow_rows<kF16, kF16x2>(table, "tanh.approx", [](float a) { return unit_tanh(a); });
  narrow_rows<kBF16, kBF16x2>(table, "ex2.approx.ftz", [](float a) { return wide_ex2(a); });
  narrow_rows<kBF16, kBF16x2>(table, "tanh.approx", [](float a) { return unit_tanh(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

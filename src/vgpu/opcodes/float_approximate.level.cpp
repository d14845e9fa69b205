// The functions that the card only approximates (PTX ISA, "Floating-Point Instructions": .approx and .full).
// Here they are as exact as their type; docs/approximate-functions.md states how far the card is from that.
#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// ---- the card's function unit: it flushes subnormal operands and results -----------------------------
bool subnormal(float a) { return std::fabs(a) < 0x1p-126f; }  // zero too

// Each once, not once a row: a lane costs a call of the mathematics library anyway.
[[gnu::noinline]] float unit_rcp(float a) { return one_nan(flush(1 / flush(a))); }
[[gnu::noinline]] float unit_sqrt(float a) { return one_nan(std::sqrt(flush(a))); }
[[gnu::noinline]] float unit_rsq(float a) {
  return one_nan(static_cast<float>(1 / std::sqrt(double{flush(a)})));
}
[[gnu::noinline]] float unit_lg2(float a) { return one_nan(static_cast<float>(std::log2(double{flush(a)}))); }
[[gnu::noinline]] float unit_ex2(float a) {
  return one_nan(flush(static_cast<float>(std::exp2(double{flush(a)}))));
}
[[gnu::noinline]] float wide_ex2(float a) { return one_nan(static_cast<float>(std::exp2(double{a}))); }
[[gnu::noinline]] float unit_tanh(float a) { return one_nan(static_cast<float>(std::tanh(double{a}))); }

// Angles count in turns. Of the part of a turn the unit sees 25 binary places: two for the quadrant, the rest
// for the place in it, which it mirrors by inverting the bits.
constexpr std::uint32_t kPlaces = 23;
struct Place {
  std::uint32_t quadrant, in_quadrant;
};
Place place_of(float turns) {
  const double size = std::fabs(double{turns}), part = size < 0x1p23 ? size - std::floor(size) : 0;
  const auto units = static_cast<std::uint32_t>(part * (4u << kPlaces));
  return {units >> kPlaces, units & ((1u << kPlaces) - 1)};
}
double quarter_sine(std::uint32_t in_quadrant, bool mirrored) {
  constexpr double kUnit = 6.283185307179586476925 / (4u << kPlaces);
  return std::sin(kUnit * (mirrored ? in_quadrant ^ ((1u << kPlaces) - 1) : in_quadrant));
}
[[gnu::noinline]] float unit_sin(float turns) {
  const auto [quadrant, in_quadrant] = place_of(turns);
  const auto value = static_cast<float>(quarter_sine(in_quadrant, quadrant & 1));
  return one_nan(finite(turns) ? std::copysign(value, quadrant & 2 ? -turns : turns) : turns - turns);
}
[[gnu::noinline]] float unit_cos(float turns) {
  const auto [quadrant, in_quadrant] = place_of(turns);
  const auto value = static_cast<float>(quarter_sine(in_quadrant, (quadrant & 1) == 0));
  return one_nan(finite(turns) ? (quadrant == 1 || quadrant == 2 ? -value : value) : turns - turns);
}

// ---- what the compiler makes of it -------------------------------------------------------------------
// Without .ftz, operands that the unit would flush are scaled, and so are results.
constexpr float kLarge = 0x1p126f, kUp = 0x1p24f;

float reciprocal(float a) {
  const float scale = std::fabs(a) > kLarge ? 0.25f : subnormal(a) ? kUp : 1.0f;
  return one_nan(scale * unit_rcp(a * scale));
}
float root(float a) { return subnormal(a) ? unit_sqrt(a * kUp) * 0x1p-12f : unit_sqrt(a); }
float reciprocal_root(float a) { return subnormal(a) ? unit_rsq(a * kUp) * 0x1p12f : unit_rsq(a); }
float logarithm(float a) { return subnormal(a) ? unit_lg2(a * kUp) - 24 : unit_lg2(a); }
float power_of_two(float a) {
  if (!(a < -126)) return unit_ex2(a);
  const float half = unit_ex2(a * 0.5f);
  return half * half;
}
float turns(float angle) { return to_single<Rounding::kZero>(double{angle} * 0.15915494f); }
float quotient(float a, float b) {
  const float scale = subnormal(b) ? kUp : 1.0f;
  return one_nan(a * scale * unit_rcp(b * scale));
}
float quotient_in_full(float a, float b) {
  const float scale = std::fabs(b) > kLarge ? 0.25f : 1.0f;
  return quotient(a * scale, b * scale);
}

// ---- double precision --------------------------------------------------------------------------------
// The unit looks at the upper word only, and gives only an upper word.
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

// One step from the unit's value, as the compiler writes it.
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

// The 16-bit functions cut their results.
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

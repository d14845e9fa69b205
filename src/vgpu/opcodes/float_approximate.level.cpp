// The functions that the card only approximates (PTX ISA, "Floating-Point Instructions": .approx and .full). Here they
// are as exact as their type; docs/approximate-functions.md states how far the card is from that.
#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// Each once, not once a row: a lane costs a call of the mathematics library anyway.
[[gnu::noinline]] float reciprocal(float a) { return one_nan(1 / a); }
[[gnu::noinline]] float root(float a) { return one_nan(std::sqrt(a)); }
[[gnu::noinline]] float reciprocal_root(float a) { return one_nan(static_cast<float>(1 / std::sqrt(double{a}))); }
[[gnu::noinline]] float logarithm(float a) { return one_nan(static_cast<float>(std::log2(double{a}))); }
[[gnu::noinline]] float power_of_two(float a) { return one_nan(static_cast<float>(std::exp2(double{a}))); }
[[gnu::noinline]] float hyperbolic_tangent(float a) { return one_nan(static_cast<float>(std::tanh(double{a}))); }

// The card multiplies by 1/(2 pi) in single precision first, so that large angles are as wrong as there.
constexpr double kTurn = 6.283185307179586476925;
float turns(float angle) { return multiply_rounded<Rounding::kZero>(angle, 0.15915494f); }
[[gnu::noinline]] float sine(float a) { return one_nan(static_cast<float>(std::sin(kTurn * turns(a)))); }
[[gnu::noinline]] float cosine(float a) { return one_nan(static_cast<float>(std::cos(kTurn * turns(a)))); }

// A divisor above 2^126 has a subnormal reciprocal, which counts as zero.
[[gnu::noinline]] float divide_approximately(float a, float b) {
  return one_nan(a * flush(reciprocal(b)));
}
[[gnu::noinline]] float divide_fully(float a, float b) { return one_nan(a / b); }

// These two look at the upper word only, and give only an upper word.
double upper_word(double a) { return std::bit_cast<double>(bits_of(a) & 0xffff'ffff'0000'0000); }
double flush_wide(double a) { return std::fabs(a) < std::numeric_limits<double>::min() ? std::copysign(0.0, a) : a; }
double to_upper_word(double a) {
  return a != a ? std::bit_cast<double>(0x7fffffff00000000ull) : flush_wide(upper_word(a));
}
[[gnu::noinline]] double reciprocal_upper(double a) { return to_upper_word(1 / flush_wide(upper_word(a))); }
[[gnu::noinline]] double reciprocal_root_upper(double a) {
  return to_upper_word(1 / std::sqrt(flush_wide(upper_word(a))));
}
[[gnu::noinline]] double reciprocal_root_wide(double a) { return one_nan(1 / std::sqrt(a)); }

template <class F> void single(OpcodeTable& table, const std::string& name, F f) {
  row<kF32, kF32>(table, name + ".f32", f);
  row<kF32, kF32>(table, name + ".ftz.f32", [](float a) { return flush(F{}(flush(a))); });
}
template <class F> void quotient(OpcodeTable& table, const std::string& name, F f) {
  row<kF32, kF32, kF32>(table, name + ".f32", f);
  row<kF32, kF32, kF32>(table, name + ".ftz.f32", [](float a, float b) { return flush(F{}(flush(a), flush(b))); });
}

template <Type T, Type Pair, class F> void narrow_rows(OpcodeTable& table, const char* name, F) {
  constexpr auto one = [](Lane<T> a) { return nearest<Lane<T>>(F{}(widen(a))); };
  row<T, T>(table, with_type(name, T), one);
  pair_row<Lane<T>, 1>(table, with_type(name, Pair), Pair, Pair, one);
}

}  // namespace

void add_float_approximate_rows(OpcodeTable& table) {
  single(table, "rcp.approx", [](float a) { return reciprocal(a); });
  single(table, "sqrt.approx", [](float a) { return root(a); });
  single(table, "rsqrt.approx", [](float a) { return reciprocal_root(a); });
  single(table, "sin.approx", [](float a) { return sine(a); });
  single(table, "cos.approx", [](float a) { return cosine(a); });
  single(table, "lg2.approx", [](float a) { return logarithm(a); });
  single(table, "ex2.approx", [](float a) { return power_of_two(a); });
  row<kF32, kF32>(table, "tanh.approx.f32", [](float a) { return hyperbolic_tangent(a); });
  quotient(table, "div.approx", [](float a, float b) { return divide_approximately(a, b); });
  quotient(table, "div.full", [](float a, float b) { return divide_fully(a, b); });
  row<kF64, kF64>(table, "rcp.approx.ftz.f64", [](double a) { return reciprocal_upper(a); });
  row<kF64, kF64>(table, "rsqrt.approx.ftz.f64", [](double a) { return reciprocal_root_upper(a); });
  row<kF64, kF64>(table, "rsqrt.approx.f64", [](double a) { return reciprocal_root_wide(a); });

  narrow_rows<kF16, kF16x2>(table, "ex2.approx", [](float a) { return power_of_two(a); });
  narrow_rows<kF16, kF16x2>(table, "tanh.approx", [](float a) { return hyperbolic_tangent(a); });
  narrow_rows<kBF16, kBF16x2>(table, "ex2.approx.ftz", [](float a) { return power_of_two(a); });
  narrow_rows<kBF16, kBF16x2>(table, "tanh.approx", [](float a) { return hyperbolic_tangent(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

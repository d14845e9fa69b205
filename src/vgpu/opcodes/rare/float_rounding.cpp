// Floating-point arithmetic in the other rounding modes: .rz, .rm and .rp (PTX ISA, "Floating-Point
// Instructions").
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

inline constexpr Types<kF32> kSingle;
inline constexpr Types<kF64> kDouble;

// `Wide` computes the exact result of single precision as a double, `Double` the rounded result of double
// precision.
template <Rounding R, int N, class Wide, class Double>
void rows(OpcodeTable& table, const std::string& name, Wide, Double in_double) {
  op<N>(table, kDouble, name.c_str(), in_double);
  op<N>(table, kSingle, name.c_str(), [](auto... x) { return one_nan(to_single<R>(Wide{}(x...))); });
  op<N>(table, kSingle, (name + ".ftz").c_str(),
        [](auto... x) { return one_nan(to_single_or_zero<R>(Wide{}(flush(x)...))); });
}
template <Rounding R, int N, class Wide, class Double>
void saturating_rows(OpcodeTable& table, const std::string& name, Wide wide, Double in_double) {
  rows<R, N>(table, name, wide, in_double);
  op<N>(table, kSingle, (name + ".sat").c_str(),
        [](auto... x) { return saturate(to_single<R>(Wide{}(x...))); });
  op<N>(table, kSingle, (name + ".ftz.sat").c_str(),
        [](auto... x) { return saturate(to_single_or_zero<R>(Wide{}(flush(x)...))); });
}

template <Rounding R>
void arithmetic_in(OpcodeTable& table) {
  const auto named = [](const char* name) { return std::string(name) + suffix(R); };
  saturating_rows<R, 2>(
      table, named("add"), [](float a, float b) { return wide_sum<R>(a, b); },
      [](double a, double b) { return with_its_nan(add_rounded<R>(a, b), a, b); });
  saturating_rows<R, 2>(
      table, named("sub"), [](float a, float b) { return wide_sum<R>(a, -b); },
      [](double a, double b) { return with_its_nan(add_rounded<R>(a, -b), a, b); });
  saturating_rows<R, 2>(
      table, named("mul"), [](float a, float b) { return double{a} * b; },
      [](double a, double b) { return with_its_nan(multiply_rounded<R>(a, b), a, b); });
  for (const char* name : {"fma", "mad"})
    saturating_rows<R, 3>(
        table, named(name), [](float a, float b, float c) { return wide_fma<R>(a, b, c); },
        [](double a, double b, double c) { return with_its_nan(fma_rounded<R>(a, b, c), a, b, c); });
  rows<R, 2>(
      table, named("div"), [](float a, float b) { return wide_quotient(a, b); },
      [](double a, double b) { return with_its_nan(divide_rounded<R>(a, b), b, a); });
  rows<R, 1>(
      table, named("rcp"), [](float a) { return wide_quotient(1.0f, a); },
      [](double a) { return with_its_nan(divide_rounded<R>(1.0, a), a); });
  rows<R, 1>(
      table, named("sqrt"), [](float a) { return wide_root(a); },
      [](double a) { return with_its_nan(root_rounded<R>(a), a); });
}

}  // namespace

void add_float_rounding_rows(OpcodeTable& table) {
  arithmetic_in<Rounding::kZero>(table);
  arithmetic_in<Rounding::kDown>(table);
  arithmetic_in<Rounding::kUp>(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

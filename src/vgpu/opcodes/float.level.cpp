// Floating-point arithmetic (PTX ISA, "Floating-Point Instructions").
#include <cmath>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// Rounding to nearest even is what plain C++ does; `add.f32` without a rounding mode means the same.
template <int N, class F> void nearest(OpcodeTable& table, const std::string& name, F f) {
  op<N>(table, kFloats, name.c_str(), f);
  op<N>(table, kFloats, (name + ".rn").c_str(), f);
}

}  // namespace

void add_float_rows(OpcodeTable& table) {
  nearest<2>(table, "add", [](auto a, auto b) { return a + b; });
  nearest<2>(table, "sub", [](auto a, auto b) { return a - b; });
  nearest<2>(table, "mul", [](auto a, auto b) { return a * b; });
  op<3>(table, kFloats, "fma.rn", [](auto a, auto b, auto c) { return std::fma(a, b, c); });
  op<3>(table, kFloats, "mad.rn", [](auto a, auto b, auto c) { return std::fma(a, b, c); });
  op<2>(table, kFloats, "div.rn", [](auto a, auto b) { return a / b; });
  op<1>(table, kFloats, "rcp.rn", [](auto a) { return 1 / a; });
  op<1>(table, kFloats, "sqrt.rn", [](auto a) { return std::sqrt(a); });
  op<1>(table, kFloats, "neg", [](auto a) { return -a; });
  op<1>(table, kFloats, "abs", [](auto a) { return std::fabs(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

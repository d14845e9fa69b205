// Floating-point arithmetic in the other rounding modes: .rz, .rm and .rp (PTX ISA, "Floating-Point Instructions").
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <Rounding R, int N, class F> void rows(OpcodeTable& table, const char* name, F f, bool saturates) {
  const std::string with_mode = std::string(name) + suffix(R);
  constexpr Types<kF32> kSingle;
  op<N>(table, kFloats, with_mode.c_str(), f);
  op<N>(table, kSingle, (with_mode + ".ftz").c_str(), [](auto... x) { return flush(F{}(flush(x)...)); });
  if (!saturates) return;
  op<N>(table, kSingle, (with_mode + ".sat").c_str(), [](auto... x) { return saturate(F{}(x...)); });
  op<N>(table, kSingle, (with_mode + ".ftz.sat").c_str(), [](auto... x) { return saturate(flush(F{}(flush(x)...))); });
}

template <Rounding R> void mode(OpcodeTable& table) {
  rows<R, 2>(table, "add", [](auto a, auto b) { return add_rounded<R>(a, b); }, true);
  rows<R, 2>(table, "sub", [](auto a, auto b) { return add_rounded<R>(a, -b); }, true);
  rows<R, 2>(table, "mul", [](auto a, auto b) { return multiply_rounded<R>(a, b); }, true);
  constexpr auto kFma = [](auto a, auto b, auto c) { return fma_rounded<R>(a, b, c); };
  rows<R, 3>(table, "fma", kFma, true);
  rows<R, 3>(table, "mad", kFma, true);
  rows<R, 2>(table, "div", [](auto a, auto b) { return divide_rounded<R>(a, b); }, false);
  rows<R, 1>(table, "rcp", [](auto a) { return divide_rounded<R>(decltype(a){1}, a); }, false);
  rows<R, 1>(table, "sqrt", [](auto a) { return root_rounded<R>(a); }, false);
}

}  // namespace

void add_float_rounding_rows(OpcodeTable& table) {
  mode<Rounding::kZero>(table);
  mode<Rounding::kDown>(table);
  mode<Rounding::kUp>(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

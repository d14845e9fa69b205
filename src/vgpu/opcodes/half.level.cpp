// Arithmetic on f16 and bf16 without modifiers (PTX ISA, "Half Precision Floating-Point Instructions").
#include "vgpu/opcodes/half_arithmetic.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <int N, class F>
void rows(OpcodeTable& table, const char* name, F) {
  both<kF16, N>(table, name, [](auto... x) { return nearest<Half>(F{}(x...)); });
  both<kBF16, N>(table, name, [](auto... x) { return nearest<Brain>(F{}(x...)); });
}
template <int N, class F>
void exact_rows(OpcodeTable& table, const char* name, F f) {
  both<kF16, N>(table, name, f);
  both<kBF16, N>(table, name, f);
}

}  // namespace

void add_half_rows(OpcodeTable& table) {
  for_each_of_two([&](const char* name, auto f) { rows<2>(table, name, f); });
  rows<3>(table, "fma.rn", Fma{});
  exact_rows<1>(table, "neg", [](auto a) { return negated(a); });
  exact_rows<1>(table, "abs", [](auto a) { return magnitude(a); });
  exact_rows<2>(table, "min", Extreme<true, false>{});
  exact_rows<2>(table, "max", Extreme<false, false>{});
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

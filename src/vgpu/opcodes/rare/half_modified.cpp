// Arithmetic on f16 and bf16 with modifiers: .sat, .ftz, .relu, .NaN, .xorsign.abs (PTX ISA, "Half Precision
// Floating-Point Instructions").
#include "vgpu/opcodes/half_arithmetic.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// ---- arithmetic --------------------------------------------------------------------------------------
template <int N, class F>
void rows(OpcodeTable& table, const std::string& name, F) {
  both<kF16, N>(table, name + ".sat", [](auto... x) { return nearest<Half>(saturate(F{}(x...))); });
  both<kF16, N>(table, name + ".ftz", [](auto... x) { return flush(nearest<Half>(F{}(flush(x)...))); });
  both<kF16, N>(table, name + ".ftz.sat",
                [](auto... x) { return flush(nearest<Half>(saturate(F{}(flush(x)...)))); });
}

void add_fma_rows(OpcodeTable& table) {
  rows<3>(table, "fma.rn", Fma{});
  both<kF16, 3>(table, "fma.rn.relu", [](auto... x) { return nearest<Half>(rectify(Fma{}(x...))); });
  both<kF16, 3>(table, "fma.rn.ftz.relu",
                [](auto... x) { return flush(nearest<Half>(rectify(Fma{}(flush(x)...)))); });
  both<kBF16, 3>(table, "fma.rn.relu", [](auto... x) { return nearest<Brain>(rectify(Fma{}(x...))); });
}

// ---- minimum and maximum -----------------------------------------------------------------------------
template <class F>
struct OfMagnitudes {  // .xorsign.abs
  template <class T>
  T operator()(T a, T b) const {
    const T chosen = F{}(magnitude(a), magnitude(b));
    return one_nan(T{static_cast<std::uint16_t>(chosen.bits | ((a.bits ^ b.bits) & 0x8000))});
  }
};

template <class F>
void flushed_row(OpcodeTable& table, const std::string& name, const std::string& modifiers, F) {
  both<kF16, 2>(table, name + ".ftz" + modifiers, [](auto a, auto b) { return F{}(flush(a), flush(b)); });
}
template <class F>
void extreme_row(OpcodeTable& table, const std::string& name, const std::string& modifiers, F f) {
  both<kF16, 2>(table, name + modifiers, f);
  both<kBF16, 2>(table, name + modifiers, f);
  flushed_row(table, name, modifiers, f);
}
template <bool Min>
void extreme_rows(OpcodeTable& table, const std::string& name) {
  flushed_row(table, name, "", Extreme<Min, false>{});
  extreme_row(table, name, ".NaN", Extreme<Min, true>{});
  extreme_row(table, name, ".xorsign.abs", OfMagnitudes<Extreme<Min, false>>{});
  extreme_row(table, name, ".NaN.xorsign.abs", OfMagnitudes<Extreme<Min, true>>{});
}

}  // namespace

void add_half_modified_rows(OpcodeTable& table) {
  for_each_of_two([&](const char* name, auto f) { rows<2>(table, name, f); });
  add_fma_rows(table);
  both<kF16, 1>(table, "neg.ftz", [](auto a) { return negated(flush(a)); });
  both<kF16, 1>(table, "abs.ftz", [](auto a) { return magnitude(flush(a)); });
  extreme_rows<true>(table, "min");
  extreme_rows<false>(table, "max");
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

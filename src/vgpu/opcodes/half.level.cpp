// Arithmetic and comparison of f16 and bf16, one or two in a register (PTX ISA, "Half Precision
// Floating-Point Instructions" and "Half Precision Comparison Instructions").
#include "vgpu/opcodes/half.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <Type>
inline constexpr Type kPairOf = kNone;
template <>
inline constexpr Type kPairOf<kF16> = kF16x2;
template <>
inline constexpr Type kPairOf<kBF16> = kBF16x2;

// .relu: negative numbers become 0, NaN stays.
float rectify(float value) { return value <= 0 ? 0.0f : value; }

// ---- arithmetic --------------------------------------------------------------------------------------
// f32 has more than twice the digits of f16 and bf16, so that rounding a sum twice is as good as once. A
// product of bf16 can underflow in f32, and fma needs every digit: these go by way of a double.
struct Add {
  template <class T>
  float operator()(T a, T b) const {
    return widen(a) + widen(b);
  }
};
struct Sub {
  template <class T>
  float operator()(T a, T b) const {
    return widen(a) - widen(b);
  }
};
struct Mul {
  float operator()(Half a, Half b) const { return widen(a) * widen(b); }
  float operator()(Brain a, Brain b) const { return to_odd_single(double{widen(a)} * widen(b)); }
};
struct Fma {
  template <class T>
  float operator()(T a, T b, T c) const {
    return to_odd_single(odd_sum(double{widen(a)} * widen(b), double{widen(c)}));
  }
};

// A row for one number a register, and one for two.
template <Type T, int N, class F>
void both(OpcodeTable& table, const std::string& name, F f) {
  op<N>(table, Types<T>{}, name.c_str(), f);
  constexpr Type kPair = kPairOf<T>;
  pair_row<Lane<T>, N>(table, with_type(name.c_str(), kPair), kPair, kPair, f);
}

template <int N, class F>
void half_rows(OpcodeTable& table, const std::string& name, F) {
  both<kF16, N>(table, name, [](auto... x) { return nearest<Half>(F{}(x...)); });
  both<kF16, N>(table, name + ".sat", [](auto... x) { return nearest<Half>(saturate(F{}(x...))); });
  both<kF16, N>(table, name + ".ftz", [](auto... x) { return flush(nearest<Half>(F{}(flush(x)...))); });
  both<kF16, N>(table, name + ".ftz.sat",
                [](auto... x) { return flush(nearest<Half>(saturate(F{}(flush(x)...)))); });
}
template <int N, class F>
void rows(OpcodeTable& table, const std::string& name, F f) {
  half_rows<N>(table, name, f);
  both<kBF16, N>(table, name, [](auto... x) { return nearest<Brain>(F{}(x...)); });
}

void add_fma_rows(OpcodeTable& table) {
  rows<3>(table, "fma.rn", Fma{});
  both<kF16, 3>(table, "fma.rn.relu", [](auto... x) { return nearest<Half>(rectify(Fma{}(x...))); });
  both<kF16, 3>(table, "fma.rn.ftz.relu",
                [](auto... x) { return flush(nearest<Half>(rectify(Fma{}(flush(x)...)))); });
  both<kBF16, 3>(table, "fma.rn.relu", [](auto... x) { return nearest<Brain>(rectify(Fma{}(x...))); });
}

// ---- sign --------------------------------------------------------------------------------------------
template <class T>
T one_nan(T value) {
  return is_nan(value) ? T{kNanBits16} : value;
}
template <class T>
T negated(T value) {
  return one_nan(T{static_cast<std::uint16_t>(value.bits ^ 0x8000)});
}
template <class T>
T magnitude(T value) {
  return one_nan(T{static_cast<std::uint16_t>(value.bits & 0x7fff)});
}

void add_sign_rows(OpcodeTable& table) {
  constexpr auto kNeg = [](auto a) { return negated(a); };
  constexpr auto kAbs = [](auto a) { return magnitude(a); };
  both<kF16, 1>(table, "neg", kNeg);
  both<kBF16, 1>(table, "neg", kNeg);
  both<kF16, 1>(table, "neg.ftz", [](auto a) { return negated(flush(a)); });
  both<kF16, 1>(table, "abs", kAbs);
  both<kBF16, 1>(table, "abs", kAbs);
  both<kF16, 1>(table, "abs.ftz", [](auto a) { return magnitude(flush(a)); });
}

// ---- minimum and maximum -----------------------------------------------------------------------------
template <bool Min, bool NanWins>
struct Extreme {
  template <class T>
  T operator()(T a, T b) const {
    const float x = widen(a), y = widen(b);
    const auto zero = static_cast<std::uint16_t>(Min ? a.bits | b.bits : a.bits & b.bits);
    std::uint16_t chosen = (Min ? x < y : x > y) ? a.bits : b.bits;
    chosen = x == y ? zero : chosen;
    chosen = x != x ? b.bits : y != y ? a.bits : chosen;
    if constexpr (NanWins) chosen = x != x ? a.bits : y != y ? b.bits : chosen;
    return one_nan(T{chosen});
  }
};
template <class F>
struct OfMagnitudes {  // .xorsign.abs
  template <class T>
  T operator()(T a, T b) const {
    const T chosen = F{}(magnitude(a), magnitude(b));
    return one_nan(T{static_cast<std::uint16_t>(chosen.bits | ((a.bits ^ b.bits) & 0x8000))});
  }
};

template <class F>
void extreme_row(OpcodeTable& table, const std::string& name, const std::string& modifiers, F f) {
  both<kF16, 2>(table, name + modifiers, f);
  both<kF16, 2>(table, name + ".ftz" + modifiers, [](auto a, auto b) { return F{}(flush(a), flush(b)); });
  both<kBF16, 2>(table, name + modifiers, f);
}
template <bool Min>
void extreme_rows(OpcodeTable& table, const std::string& name) {
  extreme_row(table, name, "", Extreme<Min, false>{});
  extreme_row(table, name, ".NaN", Extreme<Min, true>{});
  extreme_row(table, name, ".xorsign.abs", OfMagnitudes<Extreme<Min, false>>{});
  extreme_row(table, name, ".NaN.xorsign.abs", OfMagnitudes<Extreme<Min, true>>{});
}

}  // namespace

void add_half_rows(OpcodeTable& table) {
  rows<2>(table, "add", Add{});
  rows<2>(table, "sub", Sub{});
  rows<2>(table, "mul", Mul{});
  rows<2>(table, "add.rn", Add{});
  rows<2>(table, "sub.rn", Sub{});
  rows<2>(table, "mul.rn", Mul{});
  add_fma_rows(table);
  add_sign_rows(table);
  extreme_rows<true>(table, "min");
  extreme_rows<false>(table, "max");
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

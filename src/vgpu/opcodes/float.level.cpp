// Floating-point arithmetic, rounded to nearest (PTX ISA, "Floating-Point Instructions").
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

constexpr auto kAdd = [](auto a, auto b) { return one_nan(a + b); };
constexpr auto kSub = [](auto a, auto b) { return one_nan(a - b); };
constexpr auto kMul = [](auto a, auto b) { return one_nan(a * b); };
constexpr auto kFma = [](auto a, auto b, auto c) { return one_nan(std::fma(a, b, c)); };
constexpr auto kDiv = [](auto a, auto b) { return one_nan(a / b); };
constexpr auto kRcp = [](auto a) { return one_nan(1 / a); };
constexpr auto kSqrt = [](auto a) { return one_nan(std::sqrt(a)); };

// f32 and f64, and the forms that only f32 has.
template <int N, class F> void rows(OpcodeTable& table, const std::string& name, F f, bool saturates = true) {
  op<N>(table, kFloats, name.c_str(), f);
  constexpr Types<kF32> kSingle;
  op<N>(table, kSingle, (name + ".ftz").c_str(), [](auto... x) { return flush(F{}(flush(x)...)); });
  if (!saturates) return;
  op<N>(table, kSingle, (name + ".sat").c_str(), [](auto... x) { return saturate(F{}(x...)); });
  op<N>(table, kSingle, (name + ".ftz.sat").c_str(), [](auto... x) { return saturate(flush(F{}(flush(x)...))); });
}

// Without a rounding mode, `add` means `add.rn`.
template <int N, class F> void nearest_rows(OpcodeTable& table, const std::string& name, F f) {
  rows<N>(table, name, f);
  rows<N>(table, name + ".rn", f);
}

// ---- minimum and maximum -----------------------------------------------------------------------------------
// A NaN loses against a number, or wins under .NaN; -0 is less than +0.
template <bool Min, bool NanWins> struct Extreme {
  template <class T> T operator()(T a, T b) const {
    const auto zero = Min ? bits_of(a) | bits_of(b) : bits_of(a) & bits_of(b);
    T chosen = (Min ? a < b : a > b) ? a : b;
    chosen = a == b ? std::bit_cast<T>(zero) : chosen;
    chosen = a != a ? b : b != b ? a : chosen;
    if constexpr (NanWins) chosen = a != a ? a : b != b ? b : chosen;
    return one_nan(chosen);
  }
};
template <class T> T with_sign(T magnitude, bool negative) { return negative ? -std::fabs(magnitude) : std::fabs(magnitude); }
template <class F> struct OfMagnitudes {  // .xorsign.abs
  template <class T> T operator()(T a, T b) const {
    return with_sign(F{}(std::fabs(a), std::fabs(b)), is_negative(a) != is_negative(b));
  }
};

template <bool Min> void extreme_rows(OpcodeTable& table, const std::string& name) {
  op<2>(table, Types<kF64>{}, name.c_str(), Extreme<Min, false>{});
  const auto single = [&]<class F>(const std::string& modifiers, F f) {
    constexpr Types<kF32> kSingle;
    op<2>(table, kSingle, (name + modifiers).c_str(), f);
    op<2>(table, kSingle, (name + ".ftz" + modifiers).c_str(), [](auto a, auto b) { return F{}(flush(a), flush(b)); });
  };
  single("", Extreme<Min, false>{});
  single(".NaN", Extreme<Min, true>{});
  single(".xorsign.abs", OfMagnitudes<Extreme<Min, false>>{});
  single(".NaN.xorsign.abs", OfMagnitudes<Extreme<Min, true>>{});
}

// ---- properties ------------------------------------------------------------------------------------------
template <Type... T, class F> void test_rows(OpcodeTable& table, Types<T...>, const char* name, F f) {
  (row<kPred, T>(table, with_type(name, T), f), ...);
}
template <class T> bool is_finite(T a) { return std::fabs(a) <= std::numeric_limits<T>::max(); }
template <class T> bool is_normal(T a) { return is_finite(a) && std::fabs(a) >= std::numeric_limits<T>::min(); }

}  // namespace

void add_float_rows(OpcodeTable& table) {
  nearest_rows<2>(table, "add", kAdd);
  nearest_rows<2>(table, "sub", kSub);
  nearest_rows<2>(table, "mul", kMul);
  rows<3>(table, "fma.rn", kFma);
  rows<3>(table, "mad.rn", kFma);
  rows<2>(table, "div.rn", kDiv, false);
  rows<1>(table, "rcp.rn", kRcp, false);
  rows<1>(table, "sqrt.rn", kSqrt, false);
  rows<1>(table, "neg", [](auto a) { return -a; }, false);
  rows<1>(table, "abs", [](auto a) { return std::fabs(a); }, false);
  extreme_rows<true>(table, "min");
  extreme_rows<false>(table, "max");
  op<2>(table, kFloats, "copysign", [](auto sign, auto magnitude) { return std::copysign(magnitude, sign); });

  test_rows(table, kFloats, "testp.finite", [](auto a) { return is_finite(a); });
  test_rows(table, kFloats, "testp.infinite", [](auto a) { return std::fabs(a) > std::numeric_limits<decltype(a)>::max(); });
  test_rows(table, kFloats, "testp.number", [](auto a) { return a == a; });
  test_rows(table, kFloats, "testp.notanumber", [](auto a) { return a != a; });
  test_rows(table, kFloats, "testp.normal", [](auto a) { return is_normal(a); });
  test_rows(table, kFloats, "testp.subnormal", [](auto a) { return is_finite(a) && a != 0 && !is_normal(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

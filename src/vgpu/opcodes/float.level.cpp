// Floating-point arithmetic, rounded to nearest (PTX ISA, "Floating-Point Instructions").
#include "vgpu/opcodes/rounding.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

inline constexpr Types<kF32> kSingle;

constexpr auto kAdd = [](auto a, auto b) { return with_its_nan(a + b, a, b); };
constexpr auto kSub = [](auto a, auto b) { return with_its_nan(a - b, a, b); };
constexpr auto kMul = [](auto a, auto b) { return with_its_nan(a * b, a, b); };
constexpr auto kFma = [](auto a, auto b, auto c) { return with_its_nan(std::fma(a, b, c), a, b, c); };
constexpr auto kDiv = [](auto a, auto b) {
  return with_its_nan(a / b, b, a);
};  // the dividend's NaN takes precedence
constexpr auto kRcp = [](auto a) { return with_its_nan(1 / a, a); };
constexpr auto kSqrt = [](auto a) { return with_its_nan(std::sqrt(a), a); };

// .ftz; sums below 2^-126 are exact.
constexpr auto kAddFtz = [](float a, float b) { return flush(kAdd(a, b)); };
constexpr auto kSubFtz = [](float a, float b) { return flush(kSub(a, b)); };
constexpr auto kMulFtz = [](float a, float b) { return product_or_zero(a, b); };
constexpr auto kFmaFtz = [](float a, float b, float c) {
  return zero_if_tiny(std::fma(a, b, c), std::fma(a * kScale, b, c * kScale));
};
constexpr auto kDivFtz = [](float a, float b) { return zero_if_tiny(a / b, a * kScale / b); };
constexpr auto kRcpFtz = [](float a) { return zero_if_tiny(1 / a, kScale / a); };
constexpr auto kSqrtFtz = [](float a) { return kSqrt(a); };

// Rows for f32 and f64, and the forms that only f32 has.
template <int N, class F, class Ftz>
void rows(OpcodeTable& table, const std::string& name, F f, Ftz) {
  op<N>(table, kFloats, name.c_str(), f);
  op<N>(table, kSingle, (name + ".ftz").c_str(), [](auto... x) { return Ftz{}(flush(x)...); });
}
template <int N, class F, class Ftz>
void saturating_rows(OpcodeTable& table, const std::string& name, F f, Ftz ftz) {
  rows<N>(table, name, f, ftz);
  op<N>(table, kSingle, (name + ".sat").c_str(), [](auto... x) { return saturate(F{}(x...)); });
  op<N>(table, kSingle, (name + ".ftz.sat").c_str(), [](auto... x) { return saturate(Ftz{}(flush(x)...)); });
}

// Without a rounding mode, `add` means `add.rn`.
template <int N, class F, class Ftz>
void nearest_rows(OpcodeTable& table, const std::string& name, F f, Ftz ftz) {
  saturating_rows<N>(table, name, f, ftz);
  saturating_rows<N>(table, name + ".rn", f, ftz);
}

// ---- minimum and maximum -----------------------------------------------------------------------------
// A NaN loses against a number, except with .NaN; -0 is less than +0.
template <bool Min, bool NanWins>
struct Extreme {
  template <class T>
  T operator()(T a, T b) const {
    const auto zero = Min ? bits_of(a) | bits_of(b) : bits_of(a) & bits_of(b);
    T chosen = (Min ? a < b : a > b) ? a : b;
    chosen = a == b ? std::bit_cast<T>(zero) : chosen;
    chosen = a != a ? b : b != b ? a : chosen;
    if constexpr (NanWins) chosen = a != a ? a : b != b ? b : chosen;
    return with_its_nan(chosen, a, b);
  }
};
template <class T>
T with_sign(T magnitude, bool negative) {
  return negative ? -std::fabs(magnitude) : std::fabs(magnitude);
}
template <class F>
struct OfMagnitudes {  // .xorsign.abs
  template <class T>
  T operator()(T a, T b) const {
    return one_nan(with_sign(F{}(std::fabs(a), std::fabs(b)), is_negative(a) != is_negative(b)));
  }
};

template <bool Min>
void extreme_rows(OpcodeTable& table, const std::string& name) {
  op<2>(table, Types<kF64>{}, name.c_str(), Extreme<Min, false>{});
  const auto single = [&]<class F>(const std::string& modifiers, F f) {
    op<2>(table, kSingle, (name + modifiers).c_str(), f);
    op<2>(table, kSingle, (name + ".ftz" + modifiers).c_str(),
          [](auto a, auto b) { return F{}(flush(a), flush(b)); });
  };
  single("", Extreme<Min, false>{});
  single(".NaN", Extreme<Min, true>{});
  single(".xorsign.abs", OfMagnitudes<Extreme<Min, false>>{});
  single(".NaN.xorsign.abs", OfMagnitudes<Extreme<Min, true>>{});
}

// ---- properties --------------------------------------------------------------------------------------
template <Type... T, class F>
void test_rows(OpcodeTable& table, Types<T...>, const char* name, F f) {
  (row<kPred, T>(table, with_type(name, T), f), ...);
}
template <class T>
bool is_finite(T a) {
  return std::fabs(a) <= std::numeric_limits<T>::max();
}
// Zero counts as normal.
template <class T>
bool is_normal(T a) {
  return is_finite(a) && (a == 0 || std::fabs(a) >= std::numeric_limits<T>::min());
}

}  // namespace

void add_float_rows(OpcodeTable& table) {
  nearest_rows<2>(table, "add", kAdd, kAddFtz);
  nearest_rows<2>(table, "sub", kSub, kSubFtz);
  nearest_rows<2>(table, "mul", kMul, kMulFtz);
  saturating_rows<3>(table, "fma.rn", kFma, kFmaFtz);
  saturating_rows<3>(table, "mad.rn", kFma, kFmaFtz);
  rows<2>(table, "div.rn", kDiv, kDivFtz);
  rows<1>(table, "rcp.rn", kRcp, kRcpFtz);
  rows<1>(table, "sqrt.rn", kSqrt, kSqrtFtz);
  // A GPU negates with an addition, which changes NaNs to its own.
  const auto negate = [](auto a) { return a != a ? with_its_nan(a, a) : -a; };
  const auto magnitude = [](auto a) { return a != a ? with_its_nan(a, a) : std::fabs(a); };
  rows<1>(table, "neg", negate, negate);
  rows<1>(table, "abs", magnitude, magnitude);
  extreme_rows<true>(table, "min");
  extreme_rows<false>(table, "max");
  op<2>(table, kFloats, "copysign", [](auto sign, auto magnitude) { return std::copysign(magnitude, sign); });

  test_rows(table, kFloats, "testp.finite", [](auto a) { return is_finite(a); });
  test_rows(table, kFloats, "testp.infinite",
            [](auto a) { return std::fabs(a) > std::numeric_limits<decltype(a)>::max(); });
  test_rows(table, kFloats, "testp.number", [](auto a) { return a == a; });
  test_rows(table, kFloats, "testp.notanumber", [](auto a) { return a != a; });
  test_rows(table, kFloats, "testp.normal", [](auto a) { return is_normal(a); });
  test_rows(table, kFloats, "testp.subnormal", [](auto a) { return is_finite(a) && !is_normal(a); });
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL

// The CUDA math functions. Those that the host's library lacks, or computes too inexactly, are computed in
// long double: 64 bits with x87, 113 bits elsewhere.
#include "vgpu/builtins/math_functions.h"

#include <climits>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace cudalab::vgpu {
namespace {

using Wide = long double;
constexpr Wide kPi = std::numbers::pi_v<Wide>, kRootOfPi = 1 / std::numbers::inv_sqrtpi_v<Wide>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// ---- functions that <cmath> lacks --------------------------------------------------------------------

// sin(pi x) and cos(pi x): the reduction to a quarter turn is exact.
struct PartOfTurn {
  int quarter;    // 0 to 3
  Wide fraction;  // of half a turn, at most a quarter of it in either direction
};
PartOfTurn part_of_turn(double x) {
  const double within = std::fmod(x, 2.0);
  const double quarters = std::rint(2 * within);
  return {static_cast<int>(quarters) & 3, static_cast<Wide>(within) - static_cast<Wide>(quarters) / 2};
}
double sinpi(double x) {
  if (!std::isfinite(x)) return kNotANumber;
  if (x == std::trunc(x)) return std::copysign(0.0, x);
  const auto [quarter, fraction] = part_of_turn(x);
  const Wide value = quarter % 2 ? std::cos(kPi * fraction) : std::sin(kPi * fraction);
  return static_cast<double>(quarter >= 2 ? -value : value);
}
double cospi(double x) {
  if (!std::isfinite(x)) return kNotANumber;
  const auto [quarter, fraction] = part_of_turn(x);
  if (quarter % 2 && fraction == 0) return 0.0;
  const Wide value = quarter % 2 ? std::sin(kPi * fraction) : std::cos(kPi * fraction);
  return static_cast<double>(quarter == 1 || quarter == 2 ? -value : value);
}

// Initial guess for the inverse of erf, with 3 correct digits, from log(1 - x^2) (Winitzki 2008).
Wide guess_of_inverse(Wide logarithm) {
  constexpr Wide kA = 0.147L;
  const Wide t = 2 / (kPi * kA) + logarithm / 2;
  return std::sqrt(std::sqrt(t * t - logarithm / kA) - t);
}
// Halley's method: the second derivative of erf is -2x times the first.
template <class Residual>
Wide refined(Wide x, Residual residual) {
  constexpr int kSteps = 5;  // each step at least doubles the digits
  for (int i = 0; i < kSteps; ++i) {
    const Wide step = residual(x) * kRootOfPi / 2 * std::exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}
Wide inverse_of_erfc(Wide y) {  // 0 < y <= 1
  if (y == 1) return 0;
  return refined(guess_of_inverse(std::log(y * (2 - y))), [&](Wide x) { return y - std::erfc(x); });
}
double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return kNotANumber;
  if (y == 0 || y == 2) return y == 0 ? kInfinity : -kInfinity;
  return static_cast<double>(y <= 1 ? inverse_of_erfc(y) : -inverse_of_erfc(2 - static_cast<Wide>(y)));
}
double erfinv(double x) {
  if (!(std::abs(x) <= 1)) return kNotANumber;
  if (std::abs(x) == 1) return std::copysign(kInfinity, x);
  constexpr double kTiny = 1e-9;  // the next term of the series is x^3 times a quarter
  if (std::abs(x) < kTiny) return static_cast<double>(x * kRootOfPi / 2);
  const Wide distance = std::abs(static_cast<Wide>(x));
  const Wide root = distance >= 0.5 ? inverse_of_erfc(1 - distance)
                                    : refined(guess_of_inverse(std::log1p(-distance * distance)),
                                              [&](Wide at) { return std::erf(at) - distance; });
  return static_cast<double>(x < 0 ? -root : root);
}
// exp(x^2) erfc(x).
double erfcx(double x) {
  constexpr double kAsymptotic = 50;
  if (x < kAsymptotic)
    return static_cast<double>(std::exp(static_cast<Wide>(x) * x) * std::erfc(static_cast<Wide>(x)));
  const Wide inverse = 1 / (2 * static_cast<Wide>(x) * x);
  return static_cast<double>((1 - inverse * (1 - 3 * inverse * (1 - 5 * inverse))) / (x * kRootOfPi));
}
double normcdf(double x) {
  return static_cast<double>(std::erfc(-static_cast<Wide>(x) / std::numbers::sqrt2_v<Wide>) / 2);
}
double normcdfinv(double p) {
  if (!(p >= 0 && p <= 1)) return kNotANumber;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  const Wide root =
      p <= 0.5 ? -inverse_of_erfc(2 * static_cast<Wide>(p)) : inverse_of_erfc(2 * (1 - static_cast<Wide>(p)));
  return static_cast<double>(root * std::numbers::sqrt2_v<Wide>);
}

// The modified Bessel functions of the first kind by their power series, whose terms all have one sign.
Wide bessel_i(int order, Wide x) {
  constexpr int kMostTerms = 4000;
  Wide term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < kMostTerms && std::abs(term) > std::abs(sum) * 1e-22L; ++k) {
    term *= x * x / 4 / (static_cast<Wide>(k) * (k + order));
    sum += term;
  }
  return sum;
}
constexpr double kBesselOverflows = 720;  // overflows double beyond this
double cyl_bessel_i0(double x) {
  return std::abs(x) > kBesselOverflows ? kInfinity : static_cast<double>(bessel_i(0, x));
}
double cyl_bessel_i1(double x) {
  return std::abs(x) > kBesselOverflows ? std::copysign(kInfinity, x) : static_cast<double>(bessel_i(1, x));
}

double lgamma(double x) {  // without C's global variable signgam
  int sign = 0;
  return static_cast<double>(::lgammal_r(x, &sign));
}
double tgamma(double x) { return static_cast<double>(std::tgamma(static_cast<Wide>(x))); }
double erfc(double x) { return static_cast<double>(std::erfc(static_cast<Wide>(x))); }
double exp10(double x) { return static_cast<double>(std::pow(static_cast<Wide>(10), static_cast<Wide>(x))); }
double rcbrt(double x) { return static_cast<double>(1 / std::cbrt(static_cast<Wide>(x))); }
double rsqrt(double x) { return static_cast<double>(1 / std::sqrt(static_cast<Wide>(x))); }
double rhypot(double x, double y) {
  return static_cast<double>(1 / std::hypot(static_cast<Wide>(x), static_cast<Wide>(y)));
}
template <class T>
int ilogb(T x) {  // C leaves these results to the implementation
  if (x == 0 || std::isnan(x)) return INT_MIN;
  return std::isinf(x) ? INT_MAX : std::ilogb(x);
}

// ---- calls -------------------------------------------------------------------------------------------
template <class Result, class... Parameters>
struct Call {
  template <auto function>
  static void run(const Inst*, Warp& warp, const CallInfo& info) {
    for_each_lane(warp, [&](int lane) {
      run_lane<function>(warp, info, lane, std::index_sequence_for<Parameters...>());
    });
  }
  template <auto function, std::size_t... index>
  static void run_lane(Warp& warp, const CallInfo& info, int lane, std::index_sequence<index...>) {
    set_result<Result>(warp, info, lane, function(argument<Parameters>(warp, info, index, lane)...));
  }
};

// A function of doubles, and the same for floats, computed in double.
#define CUDALAB_MATH1(name, function)                                                                 \
  {"__nv_" name, Call<double, double>::run<[](double x) -> double { return function(x); }>, false}, { \
    "__nv_" name "f", Call<float, float>::run<[](float x) {                                           \
      return static_cast<float>(function(static_cast<double>(x)));                                    \
    }>,                                                                                               \
        false                                                                                         \
  }
#define CUDALAB_MATH2(name, function)                                                                      \
  {"__nv_" name,                                                                                           \
   Call<double, double, double>::run<[](double x, double y) -> double { return function(x, y); }>, false}, \
  {                                                                                                        \
    "__nv_" name "f", Call<float, float, float>::run<[](float x, float y) {                                \
      return static_cast<float>(function(static_cast<double>(x), static_cast<double>(y)));                 \
    }>,                                                                                                    \
        false                                                                                              \
  }
#define CUDALAB_MATH_OF_ORDER(name, function)                                                              \
  {"__nv_" name, Call<double, int, double>::run<[](int n, double x) -> double { return function(n, x); }>, \
   false},                                                                                                 \
  {                                                                                                        \
    "__nv_" name "f",                                                                                      \
        Call<float, int, float>::run<[](int n, float x) { return static_cast<float>(function(n, x)); }>,   \
        false                                                                                              \
  }

constexpr Builtin kFunctions[] = {
    CUDALAB_MATH1("sin", std::sin),
    CUDALAB_MATH1("cos", std::cos),
    CUDALAB_MATH1("tan", std::tan),
    CUDALAB_MATH1("asin", std::asin),
    CUDALAB_MATH1("acos", std::acos),
    CUDALAB_MATH1("atan", std::atan),
    CUDALAB_MATH1("sinh", std::sinh),
    CUDALAB_MATH1("cosh", std::cosh),
    CUDALAB_MATH1("tanh", std::tanh),
    CUDALAB_MATH1("asinh", std::asinh),
    CUDALAB_MATH1("acosh", std::acosh),
    CUDALAB_MATH1("atanh", std::atanh),
    CUDALAB_MATH1("sinpi", sinpi),
    CUDALAB_MATH1("cospi", cospi),
    CUDALAB_MATH1("exp", std::exp),
    CUDALAB_MATH1("exp2", std::exp2),
    CUDALAB_MATH1("exp10", exp10),
    CUDALAB_MATH1("expm1", std::expm1),
    CUDALAB_MATH1("log", std::log),
    CUDALAB_MATH1("log2", std::log2),
    CUDALAB_MATH1("log10", std::log10),
    CUDALAB_MATH1("log1p", std::log1p),
    CUDALAB_MATH1("logb", std::logb),
    CUDALAB_MATH1("cbrt", std::cbrt),
    CUDALAB_MATH1("rcbrt", rcbrt),
    CUDALAB_MATH1("rsqrt", rsqrt),
    CUDALAB_MATH1("erf", std::erf),
    CUDALAB_MATH1("erfc", erfc),
    CUDALAB_MATH1("erfinv", erfinv),
    CUDALAB_MATH1("erfcinv", erfcinv),
    CUDALAB_MATH1("erfcx", erfcx),
    CUDALAB_MATH1("normcdf", normcdf),
    CUDALAB_MATH1("normcdfinv", normcdfinv),
    CUDALAB_MATH1("lgamma", lgamma),
    CUDALAB_MATH1("tgamma", tgamma),
    CUDALAB_MATH1("j0", ::j0),
    CUDALAB_MATH1("j1", ::j1),
    CUDALAB_MATH1("y0", ::y0),
    CUDALAB_MATH1("y1", ::y1),
    CUDALAB_MATH1("cyl_bessel_i0", cyl_bessel_i0),
    CUDALAB_MATH1("cyl_bessel_i1", cyl_bessel_i1),
    CUDALAB_MATH1("round", std::round),
    CUDALAB_MATH2("pow", std::pow),
    CUDALAB_MATH2("atan2", std::atan2),
    CUDALAB_MATH2("hypot", std::hypot),
    CUDALAB_MATH2("rhypot", rhypot),
    CUDALAB_MATH2("fmod", std::fmod),
    CUDALAB_MATH2("remainder", std::remainder),
    CUDALAB_MATH2("fdim", std::fdim),
    CUDALAB_MATH_OF_ORDER("jn", ::jn),
    CUDALAB_MATH_OF_ORDER("yn", ::yn),
    // Functions that round to the type itself.
    {"__nv_nextafter",
     Call<double, double, double>::run<[](double x, double y) { return std::nextafter(x, y); }>, false},
    {"__nv_nextafterf", Call<float, float, float>::run<[](float x, float y) { return std::nextafter(x, y); }>,
     false},
    {"__nv_ldexp", Call<double, double, int>::run<[](double x, int n) { return std::ldexp(x, n); }>, false},
    {"__nv_ldexpf", Call<float, float, int>::run<[](float x, int n) { return std::ldexp(x, n); }>, false},
    {"__nv_ilogb", Call<int, double>::run<[](double x) { return ilogb(x); }>, false},
    {"__nv_ilogbf", Call<int, float>::run<[](float x) { return ilogb(x); }>, false},
};
#undef CUDALAB_MATH1
#undef CUDALAB_MATH2
#undef CUDALAB_MATH_OF_ORDER

}  // namespace

std::span<const Builtin> math_builtins() { return kFunctions; }

}  // namespace cudalab::vgpu

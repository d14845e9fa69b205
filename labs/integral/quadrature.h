// The integral lab's CPU side: the integrand, the quadrature rules, and the order of convergence of their
// errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/lab.h"
#include "messages/lab_integral.h"

namespace cudalab::lab::integral {

// The integrand, given as an expression in x or by a name, and its integral.

struct Range {
  double from, to;
};

struct Integrand {
  std::string text;
  Expression f;
  std::optional<Expression> antiderivative;
};

// `option` is the value of --f: the name of a known function, or an expression.
Integrand integrand_of(const std::string& option);

std::string names_of_functions();  // "pi, sine, …"

struct Integral {
  long double value = 0, uncertainty = 0;
  bool known = false;
};

// Evaluates the antiderivative if it is known, otherwise extrapolates from trapezoid sums.
Integral integral_of(const Integrand& integrand, Range range);

// The quadrature rules: their points and weights, their sums on the CPU, and the reference results.

struct Rule {
  std::string_view name, file;
  std::uint64_t steps_each;  // steps of x in each of the n strips
  bool in_the_middle;     // whether points are in the middle of their steps; otherwise they are at the ends
  double even, odd, end;  // weights of even points, odd points and end points
  double divisor;         // the sum is multiplied by step / divisor
  int order;              // for smooth f, the error is proportional to n^-order
};
inline constexpr Rule kRules[] = {
    {"rectangle", "1_rectangle.cu", 1, true, 1, 1, 1, 1, 2},
    {"trapezoid", "2_trapezoid.cu", 1, false, 1, 1, 0.5, 1, 2},
    {"simpson", "3_simpson.cu", 2, false, 2, 4, 1, 3, 4},
};

// A rule applied to a range with a number of strips n.
struct Quadrature {
  const Rule* rule;
  Range range;
  std::uint64_t n;
  std::uint64_t steps() const { return n * rule->steps_each; }
  std::uint64_t points() const { return steps() + (rule->in_the_middle ? 0 : 1); }
  bool is_end(std::uint64_t i) const { return !rule->in_the_middle && (i == 0 || i == steps()); }
  double weight(std::uint64_t i) const { return is_end(i) ? rule->end : i % 2 == 1 ? rule->odd : rule->even; }

  template <class Real>
  Real step() const {
    return (static_cast<Real>(range.to) - static_cast<Real>(range.from)) / static_cast<Real>(steps());
  }
  template <class Real>
  Real x(std::uint64_t i) const {
    if (is_end(i) && i > 0) return static_cast<Real>(range.to);
    const Real offset = rule->in_the_middle ? Real{0.5} : Real{0};
    return static_cast<Real>(range.from) + (static_cast<Real>(i) + offset) * step<Real>();
  }
};

double integrate_on_cpu(const Expression& f, const Quadrature& quadrature, int threads);

// The exact value of the rule's sum, which is not the integral. `of_f` bounds the error that rounding causes
// in the values of f.
struct Reference {
  double value = 0, of_f = 0, magnitude = 0;

  // The tolerance for a sum whose terms go through `additions` rounded additions. The weight, the step and
  // their products add six roundings, the reference one.
  Allowed allowed(std::uint64_t additions) const {
    const std::uint64_t roundings = additions + 7;
    return {{of_f + gamma<double>(roundings) * (magnitude + of_f)},
            msg::bound_quadrature(roundings, magnitude, of_f)};
  }
};

// Throws Error(kUsage) if f has no finite value at one of the points.
Reference reference_of(const Integrand& integrand, const Quadrature& quadrature);

// The order of convergence of a rule: how fast its error falls as n grows.

struct ErrorAt {
  int n;
  double error, noise;  // errors up to `noise` may be rounding, or the uncertainty of the integral itself
};

// The exponent p in error ~ n^-p, computed from n / 2 and n; empty if both errors are noise.
std::optional<double> order_between(const ErrorAt& before, const ErrorAt& here);

// The last order that is not hidden by noise; `errors` are sorted by n.
std::optional<double> last_order(const std::vector<ErrorAt>& errors);

Message sentence_on_order(const Rule& rule, const std::vector<ErrorAt>& errors);

}  // namespace cudalab::lab::integral

// The integral lab's CPU side: the integrand, the quadrature rules, and how fast their errors fall as n
// grows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/lab.h"

namespace cudalab::lab::integral {

// What is integrated: a function of x, as text or by its name, and what its integral is.

struct Range {
  double from, to;
};

struct Integrand {
  std::string text;
  Expression f;
  std::optional<Expression> antiderivative;
};

// Of the option --f: a function's name, or the function itself.
Integrand integrand_of(const std::string& option);

std::string names_of_functions();  // "pi, sine, …"

struct Integral {
  long double value = 0, uncertainty = 0;
  bool known = false;
};

// From the antiderivative where it is known, else extrapolated from trapezoids.
Integral integral_of(const Integrand& integrand, Range range);

// The rules of quadrature: where their points are and what they weigh, their sums on the CPU, and what must
// come out of them.

struct Rule {
  std::string_view name, file;
  std::uint64_t steps_each;  // steps of x in each of the n strips
  bool in_the_middle;        // of its step stands a point; else at its ends
  double even, odd, end;     // weights of points
  double divisor;            // of the step: the factor of the sum
  int order;                 // the error falls like n^-order for a smooth f
};
inline constexpr Rule kRules[] = {
    {"rectangle", "1_rectangle.cu", 1, true, 1, 1, 1, 1, 2},
    {"trapezoid", "2_trapezoid.cu", 1, false, 1, 1, 0.5, 1, 2},
    {"simpson", "3_simpson.cu", 2, false, 2, 4, 1, 3, 4},
};

// A rule with its n: where its points are, and what they weigh.
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

// The rule's own value, computed exactly: not the integral. `of_f` bounds what rounding does to the values of
// f.
struct Reference {
  double value = 0, of_f = 0, magnitude = 0;

  // For a sum whose terms go through that many rounded additions; the weight, the step and the products with
  // them round six times, the reference once.
  Allowed allowed(std::uint64_t additions) const {
    const std::uint64_t roundings = additions + 7;
    return {{of_f + gamma<double>(roundings) * (magnitude + of_f)},
            fmt::format("{} roundings of 2^-53 on a sum of magnitudes {:.6g}, and {:.2g} for the values of f",
                        roundings, magnitude, of_f)};
  }
};

// Throws Error(kUsage) where f has no finite value at a point.
Reference reference_of(const Integrand& integrand, const Quadrature& quadrature);

// How fast the errors of a rule fall as n grows.

struct ErrorAt {
  int n;
  double error, noise;  // noise: an error as small may be rounding, or the integral's own uncertainty
};

// The exponent p in error ~ n^-p, from n / 2 and n; nothing where the errors are no more than noise.
std::optional<double> order_between(const ErrorAt& before, const ErrorAt& here);

// The last that can be seen, of errors in the order of n.
std::optional<double> last_order(const std::vector<ErrorAt>& errors);

Message sentence_on_order(const Rule& rule, const std::vector<ErrorAt>& errors);

}  // namespace cudalab::lab::integral

// Explains a wrong quadrature rule: integrates functions whose integrals reveal the rule's weights and
// points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "course/reasons/evidence.h"

namespace cudalab::course {

// An integral that a kernel computes: of a function of x, from `from` to `to`, with a number of strips.
struct QuadratureProbe {
  std::string integrand;
  double from = 0, to = 1;
  std::int64_t strips = 1;
};

struct QuadratureAnswer {
  bool is_right = true;
  double found = 0, expected = 0;  // only if it is wrong
  std::uint64_t threads = 0;       // of the launch
};

// Runs the kernel. Empty if it has a hazard, or if the run yields no single number.
using AskForIntegral = std::function<std::optional<QuadratureAnswer>(const QuadratureProbe&)>;

// With f(x) = 1 the result is the sum of the weights, with f(x) = x it shows where the points lie on average,
// and with a function that is 1 only near one point it is that point's weight. Begins with few strips;
// `failing` is a number of strips with which the kernel is known to be wrong. Empty if the numbers allow no
// conclusion.
std::optional<Reason> reason_of_quadrature(const AskForIntegral& ask, std::int64_t failing);

}  // namespace cudalab::course

// How fast the errors of a rule fall as n grows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrature.h"

namespace cudalab::lab::integral {

struct ErrorAt {
  int n;
  double error, noise;  // noise: an error as small may be rounding, or the integral's own uncertainty
};

// The exponent p in error ~ n^-p, from n / 2 and n; nothing where the errors are no more than noise.
std::optional<double> order_between(const ErrorAt& before, const ErrorAt& here);

// The last that can be seen, of errors in the order of n.
std::optional<double> last_order(const std::vector<ErrorAt>& errors);

std::string sentence_on_order(const Rule& rule, const std::vector<ErrorAt>& errors);

}  // namespace cudalab::lab::integral

// What is integrated: a function of x, as text or by its name, and what its integral is.
#pragma once

#include <optional>
#include <string>

#include "lab/lab.h"

namespace cudalab::lab::integral {

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

}  // namespace cudalab::lab::integral

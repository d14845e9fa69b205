// A function of x in C syntax: parsed once, evaluated on the CPU, and passed to the GPU's compiler as text.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::lab {

namespace detail {

inline constexpr std::size_t kExpressionBlock = 64;  // values per step
using ExpressionBlock = std::array<double, kExpressionBlock>;

// An operator or a function of up to three arguments: a row of the table in expression.cpp.
struct ExpressionFunction {
  std::string_view name;  // "sin"; "+" for an operator
  int arguments;
  double half_ulps;  // the result differs from the exact one by at most half_ulps * 2^-53 * |result|
  void (*in_double)(ExpressionBlock* arguments);  // stores its result in arguments[0]
  long double (*exact)(const long double* arguments);
};

}  // namespace detail

// Supports numbers, x, M_PI, M_E, + - * /, comparisons, ?:, parentheses, and the functions of <math.h> that
// CPU and GPU both have. All arithmetic is in double.
class Expression {
 public:
  // Throws Error(kUsage): `--f "sin(x": expected ')' at column 6`, with option = "--f".
  Expression(std::string_view option, std::string_view text);

  // f of every x, rounded after each operation as in a kernel.
  void evaluate(std::span<const double> x, std::span<double> values) const;

  // f(x) in long double, and a bound on how far a double computation on a GPU or CPU can be from it if x is
  // off by x.error: a running error analysis (Higham, "Accuracy and Stability of Numerical Algorithms",
  // section 3.3).
  struct Bounded {
    long double value = 0, error = 0;
  };
  Bounded evaluate(Bounded x) const;

  // The same expression as CUDA C++, in a variable `double x`. Whole numbers are written as doubles.
  const std::string& cuda() const { return cuda_; }

 private:
  friend class ExpressionWriter;
  struct Step {
    const detail::ExpressionFunction* function = nullptr;  // null: a number, or x
    double number = 0;
    bool is_x = false;
  };
  std::vector<Step> steps_;  // in postfix order
  std::size_t depth_ = 0;    // the deepest that the evaluation stack gets
  std::string cuda_;
};

}  // namespace cudalab::lab

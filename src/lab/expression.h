// A function of x, written as in C: parsed once, evaluated on the CPU, and handed to the GPU's compiler as
// text.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::lab {

namespace detail {

inline constexpr std::size_t kExpressionBlock = 64;  // values that one step works on
using ExpressionBlock = std::array<double, kExpressionBlock>;

// What an operator or a function does to up to three arguments; a row of the table in expression.cpp.
struct ExpressionFunction {
  std::string_view name;  // "sin"; "+" for an operator
  int arguments;
  double half_ulps;  // the result is at most half_ulps * 2^-53 * |result| from the exact one
  void (*in_double)(ExpressionBlock* arguments);  // leaves its result in arguments[0]
  long double (*exact)(const long double* arguments);
};

}  // namespace detail

// Numbers, x, M_PI, M_E, + - * /, comparisons, ?:, parentheses and the functions of <math.h> that both sides
// have; everything in double.
class Expression {
 public:
  // Throws Error(kUsage): `--f "sin(x": expected ')' at column 6`, with option = "--f".
  Expression(std::string_view option, std::string_view text);

  // f of every x, rounded after each operation as in a kernel.
  void evaluate(std::span<const double> x, std::span<double> values) const;

  // f(x) in long double, and how far a computation in double on a GPU or a CPU can be from it, when x is off
  // by x.error: a running error analysis (Higham, "Accuracy and Stability of Numerical Algorithms",
  // section 3.3).
  struct Bounded {
    long double value = 0, error = 0;
  };
  Bounded evaluate(Bounded x) const;

  // The same expression in CUDA C++, an expression of `double x`: whole numbers have become doubles.
  const std::string& cuda() const { return cuda_; }

 private:
  friend class ExpressionWriter;
  struct Step {
    const detail::ExpressionFunction* function = nullptr;  // null: a number, or x
    double number = 0;
    bool is_x = false;
  };
  std::vector<Step> steps_;  // in postfix order
  std::size_t depth_ = 0;    // of the stack
  std::string cuda_;
};

}  // namespace cudalab::lab

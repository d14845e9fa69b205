// Expressions of x: the table of functions with their accuracy, the parser client, and two evaluators.
#include "lab/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "core/expression.h"
#include "core/text.h"
#include "messages/lab.h"

namespace cudalab::lab {

using detail::ExpressionBlock;
using detail::ExpressionFunction;
using detail::kExpressionBlock;

namespace {

// The table row of unary minus; a name that no expression can contain.
constexpr std::string_view kNegative = "negative";
constexpr int kMostArguments = 3;
constexpr long double kRoundoff = 0x1p-53L;

template <class Rule>
constexpr ExpressionFunction row(std::string_view name, int arguments, double half_ulps, Rule) {
  return {name, arguments, half_ulps,
          [](ExpressionBlock* a) {
            for (std::size_t i = 0; i < kExpressionBlock; ++i) a[0][i] = Rule{}(a[0][i], a[1][i], a[2][i]);
          },
          [](const long double* a) -> long double { return Rule{}(a[0], a[1], a[2]); }};
}

// half_ulps: the larger of CUDA's maximum error (CUDA C++ Programming Guide, table of double-precision
// functions) and glibc's (its manual, "Known Maximum Errors in Math Functions"), in halves of a unit in the
// last place.
constexpr ExpressionFunction kFunctions[] = {
    // name, arguments, half_ulps, meaning
    row("+", 2, 1, [](auto a, auto b, auto) { return a + b; }),
    row("-", 2, 1, [](auto a, auto b, auto) { return a - b; }),
    row("*", 2, 1, [](auto a, auto b, auto) { return a * b; }),
    row("/", 2, 1, [](auto a, auto b, auto) { return a / b; }),
    row(kNegative, 1, 0, [](auto a, auto, auto) { return -a; }),
    row("<", 2, 0, [](auto a, auto b, auto) { return static_cast<decltype(a)>(a < b); }),
    row(">", 2, 0, [](auto a, auto b, auto) { return static_cast<decltype(a)>(a > b); }),
    row("<=", 2, 0, [](auto a, auto b, auto) { return static_cast<decltype(a)>(a <= b); }),
    row(">=", 2, 0, [](auto a, auto b, auto) { return static_cast<decltype(a)>(a >= b); }),
    row("==", 2, 0, [](auto a, auto b, auto) { return static_cast<decltype(a)>(a == b); }),
    row("!=", 2, 0, [](auto a, auto b, auto) { return static_cast<decltype(a)>(a != b); }),
    row("?", 3, 0, [](auto a, auto b, auto c) { return a != 0 ? b : c; }),
    row("fabs", 1, 0, [](auto a, auto, auto) { return std::fabs(a); }),
    row("floor", 1, 0, [](auto a, auto, auto) { return std::floor(a); }),
    row("ceil", 1, 0, [](auto a, auto, auto) { return std::ceil(a); }),
    row("fmin", 2, 0, [](auto a, auto b, auto) { return std::fmin(a, b); }),
    row("fmax", 2, 0, [](auto a, auto b, auto) { return std::fmax(a, b); }),
    row("sqrt", 1, 1, [](auto a, auto, auto) { return std::sqrt(a); }),
    row("cbrt", 1, 8, [](auto a, auto, auto) { return std::cbrt(a); }),
    row("hypot", 2, 4, [](auto a, auto b, auto) { return std::hypot(a, b); }),
    row("pow", 2, 4, [](auto a, auto b, auto) { return std::pow(a, b); }),
    row("exp", 1, 2, [](auto a, auto, auto) { return std::exp(a); }),
    row("exp2", 1, 2, [](auto a, auto, auto) { return std::exp2(a); }),
    row("expm1", 1, 2, [](auto a, auto, auto) { return std::expm1(a); }),
    row("log", 1, 2, [](auto a, auto, auto) { return std::log(a); }),
    row("log2", 1, 4, [](auto a, auto, auto) { return std::log2(a); }),
    row("log10", 1, 4, [](auto a, auto, auto) { return std::log10(a); }),
    row("log1p", 1, 2, [](auto a, auto, auto) { return std::log1p(a); }),
    row("sin", 1, 4, [](auto a, auto, auto) { return std::sin(a); }),
    row("cos", 1, 4, [](auto a, auto, auto) { return std::cos(a); }),
    row("tan", 1, 4, [](auto a, auto, auto) { return std::tan(a); }),
    row("asin", 1, 4, [](auto a, auto, auto) { return std::asin(a); }),
    row("acos", 1, 4, [](auto a, auto, auto) { return std::acos(a); }),
    row("atan", 1, 4, [](auto a, auto, auto) { return std::atan(a); }),
    row("atan2", 2, 4, [](auto a, auto b, auto) { return std::atan2(a, b); }),
    row("sinh", 1, 4, [](auto a, auto, auto) { return std::sinh(a); }),
    row("cosh", 1, 4, [](auto a, auto, auto) { return std::cosh(a); }),
    row("tanh", 1, 4, [](auto a, auto, auto) { return std::tanh(a); }),
    row("asinh", 1, 6, [](auto a, auto, auto) { return std::asinh(a); }),
    row("acosh", 1, 6, [](auto a, auto, auto) { return std::acosh(a); }),
    row("atanh", 1, 4, [](auto a, auto, auto) { return std::atanh(a); }),
    row("erf", 1, 4, [](auto a, auto, auto) { return std::erf(a); }),
    row("erfc", 1, 10, [](auto a, auto, auto) { return std::erfc(a); }),
};

struct Constant {
  std::string_view name;
  double value;
};
constexpr Constant kConstants[] = {{"M_PI", 3.14159265358979323846}, {"M_E", 2.7182818284590452354}};

const ExpressionFunction* find_function(std::string_view name) {
  const auto found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                  [=](const ExpressionFunction& function) { return function.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string function_names() {
  std::vector<std::string_view> names;
  for (const ExpressionFunction& function : kFunctions)
    if (is_word_start(function.name.front()) && function.name != kNegative) names.push_back(function.name);
  return joined(names);
}

// "2" becomes "2.0": in C, a whole number would have another type.
std::string as_double(double number) {
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

// ---- from text to steps ------------------------------------------------------------------------------

// Writes steps and CUDA C++ while the text is parsed. A part's Value says whether it is a whole number in C,
// because C would round the quotient of two whole numbers: such a division is refused.
class ExpressionWriter : public ExpressionText {
 public:
  using Value = bool;
  static constexpr bool kChainsComparisons = false;

  ExpressionWriter(std::string_view option, std::string_view text, Expression& out)
      : ExpressionText(text), option_(option), out_(out) {}

  void whole_text() {
    ExpressionParser(*this).expression();
    if (!at_end()) fail(msg::expression_unexpected(token()), token());
  }

  void take() {
    if (!sign().empty()) out_.cuda_ += fmt::format(" {} ", sign());
    ExpressionText::take();
  }

  std::size_t arguments() {
    const ExpressionFunction* function = at_name() ? find_function(token()) : nullptr;
    if (!function || function->name == kNegative) return 0;
    out_.cuda_ += token();
    return static_cast<std::size_t>(function->arguments);
  }

  bool operand() {
    const bool is_whole = at_number() ? number() : at_name() && name();
    if (!at_number() && !at_name()) fail(msg::expression_value_expected(), token());
    take();
    return is_whole;
  }

  bool apply(const Operation& operation, std::span<const bool> is_whole) {
    const auto& [op, sign] = operation;
    const bool all_whole = std::ranges::all_of(is_whole, std::identity());
    if (op == Operator::kBitXor) fail(msg::expression_no_power(), sign, msg::advice_write_pow());
    if (op == Operator::kDivide && all_whole)
      fail(msg::expression_whole_division(), sign, msg::advice_write_real_division());
    if (op == Operator::kPlus) return all_whole;
    const ExpressionFunction* function = find_function(op == Operator::kNegate ? kNegative : sign);
    if (!function) fail(msg::expression_unexpected(sign), sign);
    height_ -= static_cast<std::size_t>(function->arguments) - 1;
    out_.steps_.push_back({function, 0, false});
    return all_whole && std::string_view("+-*").find(sign) != std::string_view::npos;
  }

  [[noreturn]] void expected(std::string_view sign) const { fail(msg::expression_expected(sign), token()); }
  [[noreturn]] void refuse(Message why) const { fail(std::move(why), token()); }

 private:
  bool number() {
    double value = 0;
    const std::string_view digits = token();
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
      fail(msg::expression_number_too_large(), digits);
    if (const std::string_view next = rest().substr(0, 1); !next.empty() && is_word_start(next[0]))
      fail(msg::expression_unexpected_after_number(next), next, msg::advice_write_number_alone());
    push({nullptr, value, false}, as_double(value));
    return digits.find_first_of(".eE") == std::string_view::npos;
  }

  bool name() {
    if (token() == "x") return push({nullptr, 0, true}, "x");
    for (const Constant& constant : kConstants)
      if (constant.name == token()) return push({nullptr, constant.value, false}, as_double(constant.value));
    fail(msg::expression_unknown_name(token()), token(), msg::expression_names(function_names()));
  }

  bool push(Expression::Step step, std::string_view cuda) {
    out_.cuda_ += cuda;
    out_.steps_.push_back(step);
    out_.depth_ = std::max(out_.depth_, ++height_);
    return false;
  }

  [[noreturn]] void fail(Message what, std::string_view place, Message advice = {}) const {
    if (advice.empty())
      throw usage_error(msg::expression_wrong(option_, text(), std::move(what), column(place)));
    throw usage_error(
        msg::expression_wrong_advice(option_, text(), std::move(what), column(place), std::move(advice)));
  }

  std::string_view option_;
  Expression& out_;
  std::size_t height_ = 0;
};

Expression::Expression(std::string_view option, std::string_view text) {
  ExpressionWriter(option, text, *this).whole_text();
}

// ---- evaluation --------------------------------------------------------------------------------------

void Expression::evaluate(std::span<const double> x, std::span<double> values) const {
  std::vector<ExpressionBlock> stack(depth_ + kMostArguments);
  for (std::size_t first = 0; first < x.size(); first += kExpressionBlock) {
    const std::size_t count = std::min(kExpressionBlock, x.size() - first);
    std::size_t height = 0;
    for (const Step& step : steps_) {
      if (step.function) {
        height -= static_cast<std::size_t>(step.function->arguments);
        step.function->in_double(&stack[height]);
      } else if (step.is_x) {
        std::copy_n(x.data() + first, count, stack[height].begin());
      } else {
        stack[height].fill(step.number);
      }
      ++height;
    }
    std::copy_n(stack.front().begin(), count, values.data() + first);
  }
}

namespace {

// The largest change of the result when the arguments move to the ends of their error intervals. Ends at
// which the function is undefined (NaN) do not count: a computation that stays defined does not reach them.
long double spread(const ExpressionFunction& function, const Expression::Bounded* arguments,
                   long double value) {
  long double farthest = 0;
  for (int corner = 0; corner < 1 << function.arguments; ++corner) {
    std::array<long double, kMostArguments> moved{};
    for (int i = 0; i < function.arguments; ++i)
      moved[i] = arguments[i].value + (corner >> i & 1 ? arguments[i].error : -arguments[i].error);
    const long double away = std::fabs(function.exact(moved.data()) - value);
    if (away > farthest) farthest = away;  // never true of NaN
  }
  return farthest;
}

Expression::Bounded apply(const ExpressionFunction& function, const Expression::Bounded* arguments) {
  std::array<long double, kMostArguments> values{};
  for (int i = 0; i < function.arguments; ++i) values[i] = arguments[i].value;
  const long double value = function.exact(values.data());
  const long double moved = spread(function, arguments, value);
  return {value,
          moved + static_cast<long double>(function.half_ulps) * kRoundoff * (std::fabs(value) + moved)};
}

}  // namespace

Expression::Bounded Expression::evaluate(Bounded x) const {
  std::vector<Bounded> stack(depth_ + kMostArguments);
  std::size_t height = 0;
  for (const Step& step : steps_) {
    if (step.function) {
      height -= static_cast<std::size_t>(step.function->arguments);
      stack[height] = apply(*step.function, &stack[height]);
    } else {
      stack[height] = step.is_x ? x : Bounded{step.number, 0};
    }
    ++height;
  }
  return stack.front();
}

}  // namespace cudalab::lab

// The grammar of an expression, its functions with their accuracy, and two ways to evaluate it.
#include "lab/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "messages/lab.h"

namespace cudalab::lab {

using detail::ExpressionBlock;
using detail::ExpressionFunction;
using detail::kExpressionBlock;

namespace {

constexpr int kDeepestNesting = 100;
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
    row("negative", 1, 0, [](auto a, auto, auto) { return -a; }),
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
    if (is_word_start(function.name.front()) && function.name != "negative") names.push_back(function.name);
  return joined(names);
}

// "2" becomes "2.0": in C, a whole number would be another type.
std::string as_double(double number) {
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

// ---- the grammar -------------------------------------------------------------------------------------

// Each rule returns whether what it read is a whole number in C: two of them must not be divided.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view option, std::string_view text, Expression& out)
      : option_(option), text_(text), out_(out) {}

  void whole_text() {
    expression();
    skip_blanks();
    if (at_ < text_.size()) complain_about_rest();
  }

 private:
  // expression := comparison [ "?" expression ":" expression ]
  bool expression() {
    if (++nesting_ > kDeepestNesting) fail(msg::expression_too_many_parentheses(), at_);
    bool whole = comparison();
    if (take("?")) {
      expression();
      expect(":");
      expression();
      call("?");
      whole = false;
    }
    --nesting_;
    return whole;
  }

  // comparison := sum [ ( "<=" | ">=" | "==" | "!=" | "<" | ">" ) sum ]
  bool comparison() {
    const bool whole = sum();
    for (const char* symbol : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(symbol)) {
        sum();
        call(symbol);
        return false;
      }
    return whole;
  }

  // sum := product { ( "+" | "-" ) product }
  bool sum() {
    bool whole = product();
    for (;;) {
      const char* symbol = take("+") ? "+" : take("-") ? "-" : nullptr;
      if (!symbol) return whole;
      whole &= product();
      call(symbol);
    }
  }

  // product := unary { ( "*" | "/" ) unary }
  bool product() {
    bool whole = unary();
    for (;;) {
      const char* symbol = take("*") ? "*" : take("/") ? "/" : nullptr;
      if (!symbol) return whole;
      const std::size_t place = at_ - 1;
      whole &= unary();
      if (whole && *symbol == '/')
        fail(msg::expression_whole_division(), place, msg::advice_write_real_division());
      call(symbol);
    }
  }

  // unary := ( "-" | "+" ) unary | primary
  bool unary() {
    if (++nesting_ > kDeepestNesting) fail(msg::expression_too_many_signs(), at_);
    bool whole = false;
    if (take("-")) {
      whole = unary();
      call("negative");
    } else {
      whole = take("+") ? unary() : primary();
    }
    --nesting_;
    return whole;
  }

  // primary := number | name | name "(" expression { "," expression } ")" | "(" expression ")"
  bool primary() {
    skip_blanks();
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (is_digit(next) || next == '.') return number();
    if (is_word_start(next)) return name();
    if (!take("(")) fail(msg::expression_value_expected(), at_);
    const bool whole = expression();
    expect(")");
    return whole;
  }

  bool number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status != std::errc{}) fail(msg::expression_number_too_large(), at_);
    const std::string_view digits(begin, static_cast<std::size_t>(end - begin));
    at_ += digits.size();
    if (at_ < text_.size() && is_word_start(text_[at_]))
      fail(msg::expression_unexpected_after_number(text_.substr(at_, 1)), at_,
           msg::advice_write_number_alone());
    push({nullptr, value, false}, as_double(value));
    return digits.find_first_of(".eE") == std::string_view::npos;
  }

  bool name() {
    const std::size_t place = at_;
    while (at_ < text_.size() && (is_word_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(place, at_ - place);
    if (name == "x") {
      push({nullptr, 0, true}, "x");
      return false;
    }
    for (const Constant& constant : kConstants)
      if (constant.name == name) {
        push({nullptr, constant.value, false}, as_double(constant.value));
        return false;
      }
    const ExpressionFunction* function = name == "negative" ? nullptr : find_function(name);
    if (!function)
      fail(msg::expression_unknown_name(name), place, msg::expression_names(function_names()));
    out_.cuda_ += name;
    arguments_of(*function);
    return false;
  }

  void arguments_of(const ExpressionFunction& function) {
    expect("(");
    for (int i = 0; i < function.arguments; ++i) {
      if (i > 0) expect(",");
      expression();
    }
    expect(")");
    call(function.name);
  }

  // ---- what is written

  void push(Expression::Step step, std::string_view cuda) {
    out_.cuda_ += cuda;
    out_.steps_.push_back(step);
    out_.depth_ = std::max(out_.depth_, ++height_);
  }

  void call(std::string_view name) {
    const ExpressionFunction* function = find_function(name);
    height_ -= static_cast<std::size_t>(function->arguments) - 1;
    out_.steps_.push_back({function, 0, false});
  }

  // ---- what is read

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool take(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    out_.cuda_ += fmt::format(" {} ", symbol);
    return true;
  }

  void expect(std::string_view symbol) {
    if (!take(symbol)) fail(msg::expression_expected(symbol), at_);
  }

  [[noreturn]] void complain_about_rest() const {
    if (text_[at_] == '^') fail(msg::expression_no_power(), at_, msg::advice_write_pow());
    fail(msg::expression_unexpected(text_.substr(at_, 1)), at_);
  }

  [[noreturn]] void fail(Message what, std::size_t place, Message advice = {}) const {
    if (advice.empty())
      throw usage_error(msg::expression_wrong(option_, text_, std::move(what), place + 1));
    throw usage_error(
        msg::expression_wrong_advice(option_, text_, std::move(what), place + 1, std::move(advice)));
  }

  std::string_view option_, text_;
  Expression& out_;
  std::size_t at_ = 0, height_ = 0;
  int nesting_ = 0;
};

Expression::Expression(std::string_view option, std::string_view text) {
  ExpressionParser(option, text, *this).whole_text();
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

// The farthest that the function gets when its arguments move to the ends of their errors. Where it is not
// defined there, a computation that stays defined does not get there.
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

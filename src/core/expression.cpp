// The operators of expressions, their arithmetic on integers and doubles, and the tokenizer.
#include "core/expression.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace cudalab {
namespace {

constexpr OperatorSign kInfixOperators[]{{"||", Operator::kOr, 1},
                                         {"&&", Operator::kAnd, 2},
                                         {"|", Operator::kBitOr, 3},
                                         {"^", Operator::kBitXor, 4},
                                         {"&", Operator::kBitAnd, 5},
                                         {"==", Operator::kEqual, 6},
                                         {"!=", Operator::kNotEqual, 6},
                                         {"<", Operator::kLess, 7},
                                         {"<=", Operator::kLessEqual, 7},
                                         {">", Operator::kGreater, 7},
                                         {">=", Operator::kGreaterEqual, 7},
                                         {"<<", Operator::kShiftLeft, 8},
                                         {">>", Operator::kShiftRight, 8},
                                         {"+", Operator::kAdd, 9},
                                         {"-", Operator::kSubtract, 9},
                                         {"*", Operator::kMultiply, kProductPrecedence},
                                         {"/", Operator::kDivide, kProductPrecedence},
                                         {"%", Operator::kRemainder, kProductPrecedence}};
constexpr OperatorSign kPrefixOperators[]{{"+", Operator::kPlus, 11},
                                          {"-", Operator::kNegate, 11},
                                          {"!", Operator::kNot, 11},
                                          {"~", Operator::kComplement, 11}};

const OperatorSign* row_of(std::span<const OperatorSign> rows, std::string_view sign) {
  const auto row = std::ranges::find(rows, sign, &OperatorSign::text);
  return row == rows.end() ? nullptr : &*row;
}

// The truth value of a comparison or logical operator; empty for other operators.
template <class Number>
std::optional<bool> truth(Operator op, Number a, Number b) {
  switch (op) {
    case Operator::kOr: return a != 0 || b != 0;
    case Operator::kAnd: return a != 0 && b != 0;
    case Operator::kNot: return a == 0;
    case Operator::kEqual: return a == b;
    case Operator::kNotEqual: return a != b;
    case Operator::kLess: return a < b;
    case Operator::kLessEqual: return a <= b;
    case Operator::kGreater: return a > b;
    case Operator::kGreaterEqual: return a >= b;
    default: return std::nullopt;
  }
}

std::int64_t as_signed(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

// b must not be 0.
std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  if (is_unsigned) return a / b;
  return as_signed(b) == -1 ? 0 - a : static_cast<std::uint64_t>(as_signed(a) / as_signed(b));
}

std::uint64_t shifted_right(std::uint64_t a, std::uint64_t by, bool is_unsigned) {
  if (is_unsigned) return by < 64 ? a >> by : 0;
  return static_cast<std::uint64_t>(as_signed(a) >> std::min<std::uint64_t>(by, 63));
}

}  // namespace

const OperatorSign* infix_operator(std::string_view sign) { return row_of(kInfixOperators, sign); }
const OperatorSign* prefix_operator(std::string_view sign) { return row_of(kPrefixOperators, sign); }

std::optional<Integer> apply_to_integers(Operator op, std::span<const Integer> values) {
  const Integer second = values.size() > 1 ? values[1] : Integer();
  const std::uint64_t a = values[0].bits, b = second.bits;
  const bool is_unsigned = values[0].is_unsigned || second.is_unsigned;
  if (const auto holds = is_unsigned ? truth(op, a, b) : truth(op, as_signed(a), as_signed(b)))
    return Integer{*holds};
  const bool divides = op == Operator::kDivide || op == Operator::kRemainder;
  if (divides && b == 0) return std::nullopt;
  switch (op) {
    case Operator::kBitOr: return Integer{a | b, is_unsigned};
    case Operator::kBitXor: return Integer{a ^ b, is_unsigned};
    case Operator::kBitAnd: return Integer{a & b, is_unsigned};
    case Operator::kShiftLeft: return Integer{b < 64 ? a << b : 0, is_unsigned};
    case Operator::kShiftRight: return Integer{shifted_right(a, b, is_unsigned), is_unsigned};
    case Operator::kAdd: return Integer{a + b, is_unsigned};
    case Operator::kSubtract: return Integer{a - b, is_unsigned};
    case Operator::kMultiply: return Integer{a * b, is_unsigned};
    case Operator::kDivide: return Integer{quotient(a, b, is_unsigned), is_unsigned};
    case Operator::kRemainder: return Integer{a - quotient(a, b, is_unsigned) * b, is_unsigned};
    case Operator::kPlus: return values[0];
    case Operator::kNegate: return Integer{0 - a, is_unsigned};
    case Operator::kComplement: return Integer{~a, is_unsigned};
    case Operator::kChoice: return values[a != 0 ? 1 : 2];
    default: return std::nullopt;
  }
}

std::optional<double> apply_to_doubles(Operator op, std::span<const double> values) {
  const double a = values[0], b = values.size() > 1 ? values[1] : 0;
  if (const auto holds = truth(op, a, b)) return *holds ? 1 : 0;
  switch (op) {
    case Operator::kAdd: return a + b;
    case Operator::kSubtract: return a - b;
    case Operator::kMultiply: return a * b;
    case Operator::kDivide: return a / b;
    case Operator::kPlus: return a;
    case Operator::kNegate: return -a;
    case Operator::kChoice: return values[a != 0 ? 1 : 2];
    default: return std::nullopt;
  }
}

void ExpressionText::take() {
  std::string_view left = rest();
  left.remove_prefix(std::min(left.find_first_not_of(kBlanks), left.size()));
  const char first = left.empty() ? '\0' : left[0];
  double value = 0;
  const auto [end, failed] = std::from_chars(left.data(), left.data() + left.size(), value);
  std::size_t length = infix_operator(left.substr(0, 2)) ? 2 : 1;
  kind_ = Kind::kSign;
  if (is_word_start(first)) {
    kind_ = Kind::kName;
    length = static_cast<std::size_t>(std::ranges::find_if_not(left, is_word) - left.begin());
  } else if ((is_digit(first) || first == '.') && failed != std::errc::invalid_argument) {
    kind_ = Kind::kNumber;
    length = static_cast<std::size_t>(end - left.data());
  }
  token_ = left.substr(0, length);
}

}  // namespace cudalab

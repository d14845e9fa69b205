// The parser of all expressions, with C's grammar. A client defines the numbers, names and functions, and
// computes the operators.
//
//   struct Client : ExpressionText {      // or define sign() and take() for another kind of token
//     using Value = double;
//     Value operand();                    // reads a number or a name, or rejects it
//     Value apply(const Operation&, std::span<const Value>);  // throws for unsupported operators
//     [[noreturn]] void expected(std::string_view sign);      // the current token is not `sign`
//     [[noreturn]] void refuse(Message why);                  // the expression is too long or too deep
//   };
//
// The client computes values during parsing. It computes both operands of `||` and `&&` and all operands of
// `?:`. A client that evaluates one expression many times can emit postfix steps in `apply` instead
// (lab/expression.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/diagnostics/message.h"
#include "messages/core.h"

namespace cudalab {

// clang-format off
enum class Operator : std::uint8_t {
  kOr, kAnd, kBitOr, kBitXor, kBitAnd, kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual,
  kShiftLeft, kShiftRight, kAdd, kSubtract, kMultiply, kDivide, kRemainder,  // binary
  kPlus, kNegate, kNot, kComplement,                                         // unary
  kChoice, kCast, kCall                                                      // a ? b : c, (.u64) a, f(a)
};
// clang-format on

struct Operation {
  Operator op;
  std::string_view text;  // operator sign, or name of the type or function, as a view into the client's text
};

struct OperatorSign {
  std::string_view text;
  Operator op;
  int precedence;  // 1 to 10
};
inline constexpr int kProductPrecedence = 10;
const OperatorSign* infix_operator(std::string_view sign);  // null if there is none
const OperatorSign* prefix_operator(std::string_view sign);

// A 64-bit integer with C's rules: an unsigned operand makes an operation unsigned, and a comparison yields a
// signed 0 or 1. Signed overflow wraps. A shift by 64 or more leaves only the sign.
struct Integer {
  std::uint64_t bits = 0;
  bool is_unsigned = false;
};

// The arithmetic of integers and of doubles. Empty for an integer division by zero, and for operators that
// the numbers do not have or that only the client can compute.
std::optional<Integer> apply_to_integers(Operator op, std::span<const Integer> values);
std::optional<double> apply_to_doubles(Operator op, std::span<const double> values);

// The defaults of a client. A client redeclares the members that it changes.
struct ExpressionClient {
  static constexpr bool kChainsComparisons = true;  // `0 < x < 1`, which is `(0 < x) < 1` in C
  std::size_t arguments() const { return 0; }       // of the function that the current token names; at most 3
  bool at_cast() const { return false; }            // whether the current token, which follows "(", is a type
};

// The tokens of a text: floating-point numbers, names and operator signs.
class ExpressionText : public ExpressionClient {
 public:
  explicit ExpressionText(std::string_view text) : text_(text) { take(); }

  bool at_end() const { return token_.empty(); }
  bool at_number() const { return kind_ == Kind::kNumber; }
  bool at_name() const { return kind_ == Kind::kName; }
  std::string_view token() const { return token_; }
  std::string_view sign() const { return kind_ == Kind::kSign ? token_ : std::string_view(); }
  void take();

  std::string_view text() const { return text_; }
  // The text after the current token.
  std::string_view rest() const { return text_.substr(column(token_) - 1 + token_.size()); }
  std::size_t column(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data()) + 1;
  }

 private:
  enum class Kind { kSign, kNumber, kName };
  std::string_view text_, token_ = text_.substr(0, 0);
  Kind kind_ = Kind::kSign;
};

inline constexpr std::size_t kMaxExpressionDepth = 64;        // nested parentheses, signs and choices
inline constexpr std::size_t kMaxExpressionLength = 1 << 16;  // numbers and names

// Parses the tokens of a client up to the first token that does not continue the expression.
//
//   expression = binary(1) [ "?" expression ":" expression ]
//   binary(p)  = unary { OPERATOR of precedence q >= p  binary(q + 1) }
//   unary      = ( "+" | "-" | "!" | "~" ) unary | "(" TYPE ")" unary | primary
//   primary    = "(" expression ")" | FUNCTION "(" expression { "," expression } ")" | NUMBER | NAME
//
//   precedence   1    2    3   4   5   6       7           8       9     10
//   operators    ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %
template <class Client>
class ExpressionParser {
 public:
  using Value = typename Client::Value;
  explicit ExpressionParser(Client& client) : client_(client) {}

  Value expression() {
    descend();
    std::array<Value, 3> values{binary(1)};
    if (const std::string_view sign = client_.sign(); sign == "?") {
      client_.take();
      values[1] = expression();
      expect(":");
      values[2] = expression();
      values[0] = client_.apply({Operator::kChoice, sign}, values);
    }
    --depth_;
    return values[0];
  }

  Value binary(int lowest_precedence) {
    std::array<Value, 2> values{unary()};
    bool has_compared = false;
    while (const OperatorSign* row = infix_operator(client_.sign())) {
      const bool compares = row->op >= Operator::kEqual && row->op <= Operator::kGreaterEqual;
      if (row->precedence < lowest_precedence || (has_compared && compares && !Client::kChainsComparisons))
        break;
      has_compared = compares;
      const Operation operation{row->op, client_.sign()};
      client_.take();
      values[1] = binary(row->precedence + 1);
      values[0] = client_.apply(operation, values);
    }
    return values[0];
  }

  Value unary() {
    if (const OperatorSign* row = prefix_operator(client_.sign())) return applied({row->op, client_.sign()});
    if (client_.sign() != "(") return primary();
    client_.take();
    if (client_.at_cast()) return applied({Operator::kCast, client_.token()});
    const Value value = expression();
    expect(")");
    return value;
  }

 private:
  Value applied(const Operation& operation) {
    descend();
    client_.take();
    if (operation.op == Operator::kCast) expect(")");
    const std::array<Value, 1> values{unary()};
    --depth_;
    return client_.apply(operation, values);
  }

  Value primary() {
    if (++length_ > kMaxExpressionLength) client_.refuse(msg::expression_too_long());
    const std::size_t arguments = client_.arguments();
    if (arguments == 0) return client_.operand();
    const Operation call{Operator::kCall, client_.token()};
    client_.take();
    std::array<Value, 3> values{};
    for (std::size_t i = 0; i < arguments; ++i) {
      expect(i == 0 ? "(" : ",");
      values[i] = expression();
    }
    expect(")");
    return client_.apply(call, std::span(values).first(arguments));
  }

  void expect(std::string_view sign) {
    if (client_.sign() != sign) client_.expected(sign);
    client_.take();
  }

  void descend() {
    if (++depth_ > kMaxExpressionDepth) client_.refuse(msg::expression_too_deep());
  }

  Client& client_;
  std::size_t depth_ = 0, length_ = 0;
};

}  // namespace cudalab

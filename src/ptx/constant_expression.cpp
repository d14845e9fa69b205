// Parses and evaluates constant expressions (PTX ISA 4.5 and 4.6): 64-bit integers with C's operators, and
// floating-point literals with a sign.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>

#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace cudalab::ptx {
namespace {

constexpr std::uint64_t kWarpSize = 32;  // what the predefined constant WARP_SZ stands for

using Integer = std::uint64_t;
std::int64_t as_signed(Integer a) { return static_cast<std::int64_t>(a); }

struct Operator {
  std::string_view text;
  int precedence;  // the higher, the tighter it binds
  Integer (*apply)(Integer a, Integer b, bool is_unsigned);
  bool yields_truth = false;  // 0 or 1, which is .s64
};

Integer divide(Integer a, Integer b, bool is_unsigned) {
  if (is_unsigned) return a / b;
  return as_signed(b) == -1 ? 0 - a : static_cast<Integer>(as_signed(a) / as_signed(b));
}

Integer remainder(Integer a, Integer b, bool is_unsigned) {
  if (is_unsigned) return a % b;
  return as_signed(b) == -1 ? 0 : static_cast<Integer>(as_signed(a) % as_signed(b));
}

Integer shift_left(Integer a, Integer b, bool) { return b < 64 ? a << b : 0; }

Integer shift_right(Integer a, Integer b, bool is_unsigned) {
  if (is_unsigned) return b < 64 ? a >> b : 0;
  return static_cast<Integer>(as_signed(a) >> (b < 64 ? b : 63));
}

bool less(Integer a, Integer b, bool is_unsigned) {
  return is_unsigned ? a < b : as_signed(a) < as_signed(b);
}

constexpr std::array kOperators{
    Operator{"||", 1, [](Integer a, Integer b, bool) -> Integer { return a != 0 || b != 0; }, true},
    Operator{"&&", 2, [](Integer a, Integer b, bool) -> Integer { return a != 0 && b != 0; }, true},
    Operator{"|", 3, [](Integer a, Integer b, bool) { return a | b; }},
    Operator{"^", 4, [](Integer a, Integer b, bool) { return a ^ b; }},
    Operator{"&", 5, [](Integer a, Integer b, bool) { return a & b; }},
    Operator{"==", 6, [](Integer a, Integer b, bool) -> Integer { return a == b; }, true},
    Operator{"!=", 6, [](Integer a, Integer b, bool) -> Integer { return a != b; }, true},
    Operator{"<", 7, [](Integer a, Integer b, bool u) -> Integer { return less(a, b, u); }, true},
    Operator{"<=", 7, [](Integer a, Integer b, bool u) -> Integer { return !less(b, a, u); }, true},
    Operator{">", 7, [](Integer a, Integer b, bool u) -> Integer { return less(b, a, u); }, true},
    Operator{">=", 7, [](Integer a, Integer b, bool u) -> Integer { return !less(a, b, u); }, true},
    Operator{"<<", 8, shift_left},
    Operator{">>", 8, shift_right},
    Operator{"+", 9, [](Integer a, Integer b, bool) { return a + b; }},
    Operator{"-", 9, [](Integer a, Integer b, bool) { return a - b; }},
    Operator{"*", 10, [](Integer a, Integer b, bool) { return a * b; }},
    Operator{"/", 10, divide},
    Operator{"%", 10, remainder},
};
constexpr int kLowestPrecedence = 1, kProductPrecedence = 10;

const Operator* binary_operator(const Token& token) {
  if (token.kind != Token::Kind::kPunctuation) return nullptr;
  for (const Operator& row : kOperators)
    if (row.text == token.text) return &row;
  return nullptr;
}

// The whole of `digits` in the given base, or nothing.
std::optional<std::uint64_t> whole_number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

// integer ::= ("0x" HEX+ | "0b" BIN+ | "0" OCT* | DEC+) "U"?
std::optional<std::uint64_t> integer_value(std::string_view text) {
  if (text.ends_with('U')) text.remove_suffix(1);
  const char prefix = text.size() > 2 && text[0] == '0' ? text[1] : '\0';
  if (prefix == 'x' || prefix == 'X') return whole_number(text.substr(2), 16);
  if (prefix == 'b' || prefix == 'B') return whole_number(text.substr(2), 2);
  return whole_number(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
}

// float ::= "0f" HEX{8} | "0d" HEX{16} | decimal
std::optional<Immediate> float_value(std::string_view text) {
  const char prefix = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  const bool is_f32 = prefix == 'f' || prefix == 'F', is_f64 = prefix == 'd' || prefix == 'D';
  if (is_f32 || is_f64) {
    const auto bits = whole_number(text.substr(2), 16);
    if (!bits || text.size() != (is_f32 ? 10 : 18)) return std::nullopt;
    return Immediate{is_f32 ? Immediate::Kind::kF32Bits : Immediate::Kind::kF64Bits, *bits};
  }
  if (text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return Immediate{Immediate::Kind::kF64Bits, std::bit_cast<std::uint64_t>(value)};
}

void negate(Immediate& value) {
  switch (value.kind) {
    case Immediate::Kind::kInteger: value.bits = 0 - value.bits; break;
    case Immediate::Kind::kF32Bits: value.bits ^= std::uint64_t{1} << 31; break;
    case Immediate::Kind::kF64Bits: value.bits ^= std::uint64_t{1} << 63; break;
  }
}

}  // namespace

bool Parser::at_constant() const {
  return at(Kind::kNumber) || at("-") || at("+") || at("~") || at("(") || at("WARP_SZ");
}

// constant ::= conditional
Immediate Parser::parse_constant() { return parse_conditional().value; }

// integer ::= constant                                     but no floating-point number
std::uint64_t Parser::parse_integer(std::string_view what) {
  if (!at_constant()) fail_expected(what);
  const Token where = token_;
  return require_integer(parse_conditional(), where);
}

std::uint64_t Parser::require_integer(const Constant& constant, const Token& where) const {
  if (constant.value.kind != Immediate::Kind::kInteger)
    fail(where, "expected an integer, found a floating-point number");
  return constant.value.bits;
}

// conditional ::= binary ("?" conditional ":" conditional)?
Constant Parser::parse_conditional() {
  const Token where = token_;
  if (++expression_depth_ > kMaxExpressionDepth) fail(where, "the expression is nested too deeply");
  Constant result = parse_binary(kLowestPrecedence);
  if (at("?")) {
    const bool condition = require_integer(result, where) != 0;
    take();
    const Constant if_true = parse_conditional();
    expect(":");
    const Constant if_false = parse_conditional();
    result = condition ? if_true : if_false;
  }
  --expression_depth_;
  return result;
}

// binary(p) ::= unary (operator of precedence q >= p, binary(q + 1))*
Constant Parser::parse_binary(int lowest_precedence) {
  Token where = token_;
  Constant left = parse_unary();
  for (const Operator* op = binary_operator(token_); op != nullptr && op->precedence >= lowest_precedence;
       op = binary_operator(token_)) {
    const std::uint64_t a = require_integer(left, where);
    take();
    where = token_;
    const Constant right = parse_binary(op->precedence + 1);
    const std::uint64_t b = require_integer(right, where);
    if (b == 0 && (op->text == "/" || op->text == "%")) fail(where, "division by zero");
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    left = {{Immediate::Kind::kInteger, op->apply(a, b, is_unsigned)}, is_unsigned && !op->yields_truth};
  }
  return left;
}

// product ::= unary (("*" | "/" | "%") unary)*
Constant Parser::parse_product() { return parse_binary(kProductPrecedence); }

// unary ::= ("+" | "-" | "~" | "!")* cast? primary
Constant Parser::parse_unary() {
  std::string signs;
  const Token where = token_;
  while (at("+") || at("-") || at("~") || at("!")) signs += take().text;
  if (signs.size() > kMaxExpressionDepth) fail(where, "the expression is nested too deeply");
  Constant result = parse_primary();
  for (auto sign = signs.rbegin(); sign != signs.rend(); ++sign) {
    if (*sign == '-') negate(result.value);
    if (*sign == '~') result.value.bits = ~require_integer(result, where);
    if (*sign == '!') result = {{Immediate::Kind::kInteger, require_integer(result, where) == 0}, false};
  }
  return result;
}

// primary ::= integer | float | "WARP_SZ" | "(" (".s64" | ".u64") ")" unary | "(" conditional ")"
Constant Parser::parse_primary() {
  if (accept("WARP_SZ")) return {{Immediate::Kind::kInteger, kWarpSize}, false};
  if (accept("(")) return at(Kind::kDirective) ? parse_cast() : parse_parenthesized();
  const Token number = expect(Kind::kNumber, "a number");
  if (const auto integer = integer_value(number.text)) {
    const bool is_unsigned = number.text.ends_with('U') || as_signed(*integer) < 0;
    return {{Immediate::Kind::kInteger, *integer}, is_unsigned};
  }
  if (const auto floating = float_value(number.text)) return {*floating, false};
  fail(number, fmt::format("`{}` is no number", number.text.substr(0, kShownNameLength)));
}

// parenthesized ::= conditional ")"
Constant Parser::parse_parenthesized() {
  const Constant result = parse_conditional();
  expect(")");
  return result;
}

// cast ::= (".s64" | ".u64") ")" unary
Constant Parser::parse_cast() {
  const bool to_unsigned = at(".u64");
  if (!to_unsigned && !at(".s64")) fail_expected("`.s64` or `.u64`");
  take();
  expect(")");
  const Token where = token_;
  if (++expression_depth_ > kMaxExpressionDepth) fail(where, "the expression is nested too deeply");
  const std::uint64_t bits = require_integer(parse_unary(), where);
  --expression_depth_;
  return {{Immediate::Kind::kInteger, bits}, to_unsigned};
}

}  // namespace cudalab::ptx

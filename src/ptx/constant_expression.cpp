// Evaluates constant expressions (PTX ISA 4.5 and 4.6): 64-bit integers with C's operators, and
// floating-point literals with a sign. Unary plus and minus, `?:` and parentheses take both.
#include <array>
#include <bit>
#include <charconv>

#include "core/expression.h"
#include "messages/ptx.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace cudalab::ptx {
namespace {

constexpr std::uint64_t kWarpSize = 32;  // value of the predefined constant WARP_SZ

// The value of `digits` in the given base; empty if other characters follow.
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

}  // namespace

bool Parser::at_constant() const {
  return at(Kind::kNumber) || at("-") || at("+") || at("~") || at("(") || at("WARP_SZ");
}

// constant ::= conditional
Immediate Parser::parse_constant() { return parse_conditional().value; }

// integer ::= constant, but not a floating-point number
std::uint64_t Parser::parse_integer(Term what) {
  if (!at_constant()) fail_expected(what());
  return require_integer(parse_conditional());
}

std::uint64_t Parser::require_integer(const Constant& constant) const {
  if (constant.value.kind != Immediate::Kind::kInteger) fail(constant.first, msg::ptx_integer_expected());
  return constant.value.bits;
}

// Presents the tokens of a PTX text to the expression parser.
class Parser::ConstantReader : public ExpressionClient {
 public:
  using Value = Constant;
  explicit ConstantReader(Parser& parser) : parser_(parser) {}

  std::string_view sign() const { return parser_.at(Kind::kPunctuation) ? parser_.token_.text : ""; }
  std::string_view token() const { return parser_.token_.text; }
  void take() { parser_.take(); }

  bool at_cast() const {
    const bool is_type = parser_.at(".u64") || parser_.at(".s64");
    if (!is_type && parser_.at(Kind::kDirective))
      parser_.fail_expected(msg::ptx_term_either(Code{".s64"}, Code{".u64"}));
    return is_type;
  }

  // operand ::= integer | float | "WARP_SZ"
  Constant operand() {
    const Token token = parser_.token_;
    if (parser_.accept("WARP_SZ")) return {{Immediate::Kind::kInteger, kWarpSize}, false, token};
    parser_.expect(Kind::kNumber, msg::ptx_term_number);
    if (const auto integer = integer_value(token.text)) {
      const bool is_unsigned = token.text.ends_with('U') || static_cast<std::int64_t>(*integer) < 0;
      return {{Immediate::Kind::kInteger, *integer}, is_unsigned, token};
    }
    if (const auto floating = float_value(token.text)) return {*floating, false, token};
    parser_.fail(token, msg::ptx_not_a_number(shortened(token.text)));
  }

  Constant apply(const Operation& operation, std::span<const Constant> values) {
    const auto& [op, text] = operation;
    const bool is_integer = values[0].value.kind == Immediate::Kind::kInteger;
    if (op == Operator::kChoice) return values[parser_.require_integer(values[0]) != 0 ? 1 : 2];
    if (!is_integer && op == Operator::kPlus) return values[0];
    if (!is_integer && op == Operator::kNegate) return negated(values[0]);
    std::array<Integer, 2> integers{};
    for (std::size_t i = 0; i < values.size(); ++i)
      integers[i] = {parser_.require_integer(values[i]), values[i].is_unsigned};
    const auto result = op == Operator::kCast
                            ? std::optional(Integer{integers[0].bits, text == ".u64"})
                            : apply_to_integers(op, std::span(integers).first(values.size()));
    if (!result) parser_.fail(values[1].first, msg::ptx_division_by_zero());
    return {{Immediate::Kind::kInteger, result->bits}, result->is_unsigned, values[0].first};
  }

  [[noreturn]] void expected(std::string_view sign) const { parser_.fail_expected(Code{std::string(sign)}); }
  [[noreturn]] void refuse(const Message& why) const { parser_.fail(parser_.token_, why); }

 private:
  static Constant negated(Constant floating) {
    const int sign_bit = floating.value.kind == Immediate::Kind::kF32Bits ? 31 : 63;
    floating.value.bits ^= std::uint64_t{1} << sign_bit;
    return floating;
  }

  Parser& parser_;
};

Constant Parser::parse_conditional() {
  ConstantReader reader(*this);
  return ExpressionParser(reader).expression();
}

// product ::= unary (("*" | "/" | "%") unary)*
Constant Parser::parse_product() {
  ConstantReader reader(*this);
  return ExpressionParser(reader).binary(kProductPrecedence);
}

Constant Parser::parse_unary() {
  ConstantReader reader(*this);
  return ExpressionParser(reader).unary();
}

}  // namespace cudalab::ptx

// Parses and evaluates the C expression of Plural-Forms.
#include "core/diagnostics/plural_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "core/expression.h"
#include "core/text.h"
#include "messages/core.h"

namespace cudalab {
namespace {

constexpr std::uint64_t kTried = 1000;  // numbers to test; all known rules repeat with a period of 100

// GNU gettext rejects rules with these operators. They are usually typing errors for `||` or `&&`.
constexpr std::array kOnBits{Operator::kBitOr,     Operator::kBitXor,     Operator::kBitAnd,
                             Operator::kShiftLeft, Operator::kShiftRight, Operator::kComplement};

// Evaluates a rule with unsigned 64-bit integers and the variable `n`.
class Evaluation : public ExpressionText {
 public:
  using Value = Integer;
  Evaluation(std::string_view text, std::uint64_t n) : ExpressionText(text), n_(n) {}

  // Empty if the text is not a valid expression.
  std::optional<std::uint64_t> value() {
    try {
      const Integer value = ExpressionParser(*this).expression();
      return at_end() ? std::optional(value.bits) : std::nullopt;
    } catch (const NoExpression&) {
      return std::nullopt;
    }
  }

  Integer operand() {
    const auto value = token() == "n" ? n_ : natural(token());
    if (!value) throw NoExpression();
    take();
    return {*value, true};
  }

  Integer apply(const Operation& operation, std::span<const Integer> values) const {
    const bool is_on_bits = std::ranges::find(kOnBits, operation.op) != kOnBits.end();
    const auto value = is_on_bits ? std::nullopt : apply_to_integers(operation.op, values);
    return value ? *value : throw NoExpression();
  }

  [[noreturn]] void expected(std::string_view) const { throw NoExpression(); }
  [[noreturn]] void refuse(const Message&) const { throw NoExpression(); }

 private:
  struct NoExpression {};
  std::optional<std::uint64_t> n_;
};

// The value in "NAME=VALUE;" of the rule.
std::string value_called(std::string_view rule, std::string_view name) {
  const std::size_t at = rule.find(name);
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + name.size();
  return std::string(trimmed(rule.substr(begin, rule.find(';', begin) - begin)));
}

}  // namespace

PluralRule::PluralRule(std::string_view rule, std::string_view place)
    : expression_(value_called(rule, "plural=")) {
  const std::string forms = value_called(rule, "nplurals=");
  forms_ = forms.size() == 1 && is_digit(forms[0]) ? static_cast<std::size_t>(forms[0] - '0') : 0;
  for (std::uint64_t n = 0; n < kTried; ++n)
    if (const auto form = Evaluation(expression_, n).value(); !form || *form >= forms_)
      throw usage_error(msg::plural_forms_incomplete(place, rule, n));
}

std::size_t PluralRule::form_of(std::uint64_t number) const {
  return Evaluation(expression_, number).value().value_or(0);
}

std::size_t PluralRule::form_of(std::string_view number) const {
  constexpr std::uint64_t kOfFractions = 2;
  const std::string digits = replaced(std::string(number), ",", "");
  std::uint64_t whole = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const bool is_whole = failed == std::errc{} && end == digits.data() + digits.size();
  return form_of(is_whole ? whole : kOfFractions);
}

}  // namespace cudalab

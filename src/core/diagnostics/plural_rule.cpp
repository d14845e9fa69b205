// Reads and evaluates the expression of Plural-Forms, which is C's.
#include "core/diagnostics/plural_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "core/text.h"

namespace cudalab {
namespace {

constexpr std::uint64_t kTried = 1000;  // numbers: every rule that there is repeats after a hundred

//  choice  = either [ "?" choice ":" choice ]
//  either  = both { "||" both }          both = equal { "&&" equal }
//  equal   = order { ("==" | "!=") order }
//  order   = rest { ("<=" | ">=" | "<" | ">") rest }
//  rest    = atom { "%" atom }
//  atom    = "n" | NUMBER | "(" choice ")" | "!" atom
class Evaluation {
 public:
  Evaluation(std::string_view text, std::uint64_t n) : text_(text), n_(n) {}

  // Nothing where the text is no such expression.
  std::optional<std::uint64_t> value() {
    const std::uint64_t value = choice();
    blanks();
    return is_wrong_ || !text_.empty() ? std::nullopt : std::optional(value);
  }

 private:
  void blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  bool take(std::string_view sign) {
    blanks();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(sign.size());
    return true;
  }

  std::uint64_t wrong() {
    is_wrong_ = true;
    return 0;
  }

  std::uint64_t choice() {
    const std::uint64_t condition = either();
    if (!take("?")) return condition;
    const std::uint64_t yes = choice();
    if (!take(":")) return wrong();
    const std::uint64_t no = choice();
    return condition ? yes : no;
  }

  std::uint64_t either() {
    std::uint64_t value = both();
    while (take("||")) value = (both() != 0) | (value != 0);
    return value;
  }

  std::uint64_t both() {
    std::uint64_t value = equal();
    while (take("&&")) value = (equal() != 0) & (value != 0);
    return value;
  }

  std::uint64_t equal() {
    std::uint64_t value = order();
    while (true) {
      if (take("=="))
        value = value == order();
      else if (take("!="))
        value = value != order();
      else
        return value;
    }
  }

  std::uint64_t order() {
    std::uint64_t value = rest();
    while (true) {
      if (take("<="))
        value = value <= rest();
      else if (take(">="))
        value = value >= rest();
      else if (take("<"))
        value = value < rest();
      else if (take(">"))
        value = value > rest();
      else
        return value;
    }
  }

  std::uint64_t rest() {
    std::uint64_t value = atom();
    while (take("%")) {
      const std::uint64_t by = atom();
      value = by == 0 ? wrong() : value % by;
    }
    return value;
  }

  std::uint64_t atom() {
    if (++depth_ > kDeepest) return wrong();
    if (take("!")) return atom() == 0;
    if (take("n")) return n_;
    if (take("(")) {
      const std::uint64_t value = choice();
      return take(")") ? value : wrong();
    }
    return literal();
  }

  std::uint64_t literal() {
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (failed != std::errc{}) return wrong();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  static constexpr int kDeepest = 1000;

  std::string_view text_;
  std::uint64_t n_;
  int depth_ = 0;
  bool is_wrong_ = false;
};

// The value of "NAME=VALUE;" in the rule.
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
      throw usage_error("{}: `Plural-Forms: {}` gives no form for {}; write it as GNU gettext does", place,
                        rule, n);
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

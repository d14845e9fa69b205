// Evaluates formulas as it reads them.
#include "course/formula.h"

#include <charconv>
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/text.h"

namespace cudalab::course {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const NumberOf& number_of) : text_(text), number_of_(number_of) {}

  double all() {
    const double value = sum();
    skip_blanks();
    if (at_ != text_.size()) refuse("an operator");
    return value;
  }

 private:
  // sum = product { ("+" | "-") product }
  double sum() {
    double value = product();
    for (;;)
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
  }

  // product = factor { ("*" | "/") factor }
  double product() {
    double value = factor();
    for (;;)
      if (take('*'))
        value *= factor();
      else if (take('/'))
        value /= factor();
      else
        return value;
  }

  // factor = number | name | "ceil" "(" sum ")" | "(" sum ")"
  double factor() {
    skip_blanks();
    if (at_ < text_.size() && is_word_start(text_[at_])) return named(word());
    if (take('(')) return closed(sum());
    double value = 0;
    const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed != std::errc{}) refuse("a number or an option");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  double named(std::string_view name) {
    if (name == "ceil" && take('(')) return std::ceil(closed(sum()));
    if (const auto value = number_of_(name)) return *value;
    throw usage_error("the bound `{}` names {}, which is no option with a number", text_, name);
  }

  double closed(double value) {
    if (!take(')')) refuse("`)`");
    return value;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char sign) {
    skip_blanks();
    const bool is_there = at_ < text_.size() && text_[at_] == sign;
    at_ += is_there;
    return is_there;
  }
  [[noreturn]] void refuse(std::string_view expected) const {
    throw usage_error("the bound `{}`: {} is expected at column {}", text_, expected, at_ + 1);
  }

  std::string_view text_;
  const NumberOf& number_of_;
  std::size_t at_ = 0;
};

}  // namespace

double formula_value(std::string_view formula, const NumberOf& number_of) {
  return Reader(formula, number_of).all();
}

}  // namespace cudalab::course

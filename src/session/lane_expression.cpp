// Evaluates a lane's expression: replaces the lane's names by values, then computes in double precision.
#include "session/lane_expression.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/expression.h"
#include "messages/session.h"

namespace cudalab::session {
namespace {

class LaneText : public ExpressionText {
 public:
  using Value = double;
  LaneText(const std::string& text, const LaneNames& names) : ExpressionText(text), names_(names) {}

  Value operand() {
    if (at_number()) return number();
    if (!at_name()) expected("");
    std::string name(token());
    take();
    while (sign() == "." || sign() == "[") name += sign() == "." ? member() : index();
    if (const std::optional<double> value = names_(name)) return *value;
    throw usage_error(msg::debug_name_unknown(name));
  }

  static Value apply(const Operation& operation, std::span<const Value> values) {
    if (const auto result = apply_to_doubles(operation.op, values)) return *result;
    throw usage_error(msg::debug_operator_unknown(std::string(operation.text)));
  }
  [[noreturn]] void expected(std::string_view) {
    throw usage_error(msg::debug_expression_wrong(std::string(text()), column(token())));
  }
  [[noreturn]] static void refuse(Message why) { throw usage_error(std::move(why)); }

 private:
  Value number() {
    double value = 0;
    std::from_chars(token().data(), token().data() + token().size(), value);
    take();
    return value;
  }
  std::string member() {
    take();
    if (!at_name()) expected("");
    std::string name = "." + std::string(token());
    take();
    return name;
  }
  std::string index() {
    take();
    const double value = std::floor(ExpressionParser<LaneText>(*this).expression());
    if (sign() != "]") expected("]");
    take();
    return "[" + std::to_string(static_cast<long long>(value)) + "]";
  }

  const LaneNames& names_;
};

}  // namespace

double evaluate_in_lane(const std::string& expression, const LaneNames& names) {
  LaneText text(expression, names);
  const double value = ExpressionParser<LaneText>(text).expression();
  if (!text.at_end()) text.expected("");
  return value;
}

}  // namespace cudalab::session

// A criterion about one run, such as "at most 4 sectors per request": reads it, evaluates its bound and
// checks it.
#include "course/criterion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/expression.h"
#include "core/text.h"
#include "core/text_pattern.h"
#include "messages/course.h"
#include "messages/lab.h"

namespace cudalab::course {
namespace {

// Parses and evaluates a formula. Names are options of the run, `ceil` is the only function, and numbers are
// double.
class Formula : public ExpressionText {
 public:
  using Value = double;
  Formula(std::string_view text, const NumberOf& number_of) : ExpressionText(text), number_of_(number_of) {}

  double value() {
    const double value = ExpressionParser(*this).expression();
    if (!at_end()) is_expected(msg::expected_operator(), token());
    return value;
  }

  std::size_t arguments() const { return token() == "ceil" ? 1 : 0; }

  double operand() {
    double number = 0;
    const bool is_number =
        at_number() && std::from_chars(token().data(), rest().data(), number).ec == std::errc{};
    if (!is_number && !at_name()) is_expected(msg::expected_number_or_option(), token());
    const auto value = is_number ? number : number_of_(token());
    if (!value) throw usage_error(msg::bound_names_no_option(text(), token()));
    take();
    return *value;
  }

  double apply(const Operation& operation, std::span<const double> values) const {
    if (operation.op == Operator::kCall) return std::ceil(values[0]);
    const auto value = apply_to_doubles(operation.op, values);
    if (!value) is_expected(msg::expected_operator(), operation.text);
    return *value;
  }

  [[noreturn]] void expected(std::string_view sign) const { is_expected(Code{std::string(sign)}, token()); }
  [[noreturn]] void refuse(Message why) const {
    throw usage_error(msg::bound_refused(text(), std::move(why)));
  }

 private:
  [[noreturn]] void is_expected(Argument what, std::string_view place) const {
    throw usage_error(msg::bound_malformed(text(), std::move(what), column(place)));
  }

  const NumberOf& number_of_;
};

}  // namespace

bool names_place(const Message& error, const Message& place) {
  if (error == place) return true;
  const Argument* named = error.argument("place");
  const auto* outer = named ? named->as<Message>() : nullptr;
  return outer && names_place(*outer, place);
}

double formula_value(std::string_view formula, const NumberOf& number_of) {
  return Formula(formula, number_of).value();
}

namespace {

using Json = nlohmann::json;

struct ComparisonName {
  std::string_view key;
  Comparison comparison;
  Message (*wanted)(Argument bound);
};

constexpr std::array<ComparisonName, 4> kComparisons{
    {{"at_most", Comparison::kAtMost, msg::wanted_at_most},
     {"at_least", Comparison::kAtLeast, msg::wanted_at_least},
     {"equals", Comparison::kEquals, msg::wanted_equal},
     {"not_equals", Comparison::kNotEquals, msg::wanted_not_equal}}};
constexpr std::array<std::string_view, 11> kOtherKeys{"name",         "points",  "run",         "value",
                                                      "per",          "says",    "case",        "and",
                                                      "seen_outside", "matters", "matters_case"};

// ---- reading ----------------------------------------------------------------------------------------

const ComparisonName* comparison_called(std::string_view key) {
  for (const ComparisonName& row : kComparisons)
    if (row.key == key) return &row;
  return nullptr;
}

bool is_known(std::string_view key) {
  for (std::string_view known : kOtherKeys)
    if (known == key) return true;
  return comparison_called(key) != nullptr;
}

std::string text_at(const Json& text, const char* key, const Message& place) {
  auto found = text.find(key);
  if (found == text.end()) return "";
  if (!found->is_string()) throw usage_error(msg::at_place(place, msg::criterion_key_no_text(key)));
  return found->get<std::string>();
}

std::string required_text(const Json& text, const char* key, const Message& place) {
  std::string found = text_at(text, key, place);
  if (found.empty()) throw usage_error(msg::at_place(place, msg::criterion_lacks_text(key)));
  return found;
}

double points_of(const Json& text, const Message& place) {
  auto found = text.find("points");
  if (found == text.end()) return 1;
  if (!found->is_number() || !(found->get<double>() >= 0))
    throw usage_error(msg::at_place(place, msg::criterion_points_wrong()));
  return found->get<double>();
}

void refuse_unknown_keys(const Json& text, const Message& place) {
  for (const auto& [key, value] : text.items())
    if (!is_known(key)) throw usage_error(msg::at_place(place, msg::criterion_key_unknown(key)));
}

void read_comparison(const Json& text, const Message& place, Criterion& criterion) {
  int found = 0;
  for (const auto& [key, value] : text.items()) {
    const ComparisonName* row = comparison_called(key);
    if (row == nullptr) continue;
    if (++found > 1) throw usage_error(msg::at_place(place, msg::criterion_second_comparison(key)));
    criterion.comparison = row->comparison;
    criterion.bound = value;
  }
  if (found == 0) throw usage_error(msg::at_place(place, msg::criterion_lacks_comparison()));
  const bool orders =
      criterion.comparison == Comparison::kAtMost || criterion.comparison == Comparison::kAtLeast;
  if (orders && criterion.bound.is_string()) {
    criterion.formula = criterion.bound.get<std::string>();
    formula_value(criterion.formula, [](std::string_view) { return 1.0; });
    return;
  }
  if (orders ? !criterion.bound.is_number() : !criterion.bound.is_primitive() || criterion.bound.is_null())
    throw usage_error(msg::at_place(place, orders ? msg::criterion_bound_no_number(criterion.name)
                                                  : msg::criterion_bound_no_value(criterion.name)));
}

// ---- values -----------------------------------------------------------------------------------------

// Returns the value at these paths of the object under judgement: a number, a text, a boolean, or null.
using ValueOf = std::function<Json(const ValuePaths& paths)>;

// Returns null if one of several values is not a number.
Json sum_of(const std::vector<Json>& values) {
  if (values.size() == 1) return values.front();
  double sum = 0;
  for (const Json& value : values) {
    if (!value.is_number()) return nullptr;
    sum += value.get<double>();
  }
  return sum;
}

// Treats numbers that are not finite as missing.
Json value_in_row(const lab::Row& row, const ValuePaths& paths) {
  std::vector<Json> values;
  for (const RowValue& term : paths.terms) {
    values.push_back(term(row));
    if (values.back().is_number() && !std::isfinite(values.back().get<double>())) values.back() = nullptr;
  }
  return sum_of(values);
}

// For a list, returns its length.
Json value_at(const Json& document, std::string_view path) {
  try {
    const Json& found = document.at(Json::json_pointer(fmt::format("/{}", path)));
    if (found.is_object()) return nullptr;
    return found.is_array() ? Json(found.size()) : found;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

Json value_in_document(const Json& document, const ValuePaths& paths) {
  std::vector<Json> values;
  for (const std::string_view path : paths_in(paths.text)) values.push_back(value_at(document, path));
  return sum_of(values);
}

// ---- comparing --------------------------------------------------------------------------------------

Assessment not_assessed(Message sentence) {
  return {Assessment::kNotAssessed, std::nullopt, std::move(sentence)};
}

bool are_comparable(const Json& value, const Json& bound) {
  return value.is_number() ? bound.is_number() : value.type() == bound.type();
}

bool holds(Comparison comparison, const Json& value, const Json& bound) {
  switch (comparison) {
    case Comparison::kAtMost: return value <= bound;
    case Comparison::kAtLeast: return value >= bound;
    case Comparison::kEquals: return value == bound;
    case Comparison::kNotEquals: return value != bound;
  }
  return false;
}

std::string with_separators(double whole) {
  std::string digits = fmt::format("{:.0f}", whole);
  for (int place = static_cast<int>(digits.size()) - 3; place > (whole < 0 ? 1 : 0); place -= 3)
    digits.insert(static_cast<std::size_t>(place), ",");
  return digits;
}

std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number()) return value.dump();
  auto number = value.get<double>();
  bool is_short_whole = number == std::floor(number) && std::fabs(number) < 1e15;
  constexpr double kWithoutFraction = 1000;  // from here on, show no decimals
  const bool is_large = std::fabs(number) >= kWithoutFraction && std::fabs(number) < 1e15;
  return is_short_whole || is_large ? with_separators(number) : fmt::format("{:.4g}", number);
}

Message plain_sentence(const Criterion& criterion, const Json& value) {
  std::string what = criterion.value.text;
  if (!criterion.per.empty()) what += " / " + criterion.per.text;
  return msg::value_is(what, shown(value), wanted(criterion));
}

// "{value} bank conflicts" -> "{value} bank conflict". The noun is the first of the next two words that ends
// in "s".
std::string in_the_singular(std::string says) {
  static const TextPattern noun(R"(\{value\}((?: [a-z-]+)? [a-z]+)s\b)");
  return noun.replace_first(says, "{value}$1");
}

// Uses the criterion's own sentence, if it has one.
Message sentence_for_missed(const Criterion& criterion, const Json& value) {
  if (criterion.says.empty()) return plain_sentence(criterion, value);
  const std::string says = replaced(criterion.says, "{bound}", shown(criterion.bound)), number = shown(value);
  return Message::of_course(replaced(number == "1" ? in_the_singular(says) : says, "{value}", number));
}

Assessment compare(const Criterion& criterion, const Json& value) {
  if (!are_comparable(value, criterion.bound))
    return not_assessed(
        msg::value_not_comparable(criterion.value.text, value.type_name(), shown(criterion.bound)));
  bool met = holds(criterion.comparison, value, criterion.bound);
  Assessment assessment{met ? Assessment::kMet : Assessment::kMissed, std::nullopt,
                        met ? plain_sentence(criterion, value) : sentence_for_missed(criterion, value)};
  if (value.is_number()) assessment.value = value.get<double>();
  return assessment;
}

// Reads the keys that a criterion shares with its further conditions.
void read_statement(const Json& text, const Message& here, Criterion& criterion) {
  refuse_unknown_keys(text, here);
  criterion.value.text = required_text(text, "value", here);
  criterion.per.text = text_at(text, "per", here);
  criterion.says = text_at(text, "says", here);
  at_place(here, [&] { read_comparison(text, here, criterion); });
}

std::vector<Criterion> also_of(const Json& text, const Message& here, const Criterion& main) {
  std::vector<Criterion> also;
  const Json list = text.value("and", Json::array());
  if (!list.is_array()) throw usage_error(msg::at_place(here, msg::criterion_and_no_list()));
  for (const Json& one : list) {
    if (!one.is_object()) throw usage_error(msg::at_place(here, msg::criterion_and_no_objects()));
    also.push_back({.name = main.name, .run = main.run});
    read_statement(one, here, also.back());
  }
  return also;
}

constexpr std::string_view kSolution = "solution";

// What a formula calls `solution`: the same value of the solution's run.
std::optional<double> number_of_solution(const Criterion& criterion, const ValueOf& of_solution) {
  const Json value = of_solution(criterion.value);
  if (!value.is_number() || criterion.per.empty())
    return value.is_number() ? std::optional(value) : std::nullopt;
  const Json divisor = of_solution(criterion.per);
  if (!divisor.is_number() || divisor.get<double>() == 0) return std::nullopt;
  return value.get<double>() / divisor.get<double>();
}

// Returns the criterion with its formula evaluated for these options.
Criterion with_its_bound(Criterion criterion, const NumberOf& option, const ValueOf& of_solution) {
  if (criterion.formula.empty()) return criterion;
  criterion.bound = formula_value(criterion.formula, [&](std::string_view name) {
    return name == kSolution && of_solution ? number_of_solution(criterion, of_solution) : option(name);
  });
  return criterion;
}

Assessment assess_alone(const Criterion& criterion, const ValueOf& value_of) {
  const Json value = value_of(criterion.value);
  if (value.is_null()) return not_assessed(msg::value_unknown(criterion.value.text));
  if (criterion.per.empty()) return compare(criterion, value);
  const Json divisor = value_of(criterion.per);
  if (!value.is_number() || !divisor.is_number())
    return not_assessed(msg::value_unknown_per(criterion.value.text, criterion.per.text));
  if (divisor.get<double>() == 0) return not_assessed(msg::value_divisor_zero(criterion.per.text));
  return compare(criterion, value.get<double>() / divisor.get<double>());
}

Assessment assess_all(const Criterion& criterion, const ValueOf& value_of, const NumberOf& option,
                      const ValueOf& of_solution = {}) {
  try {
    Assessment found = assess_alone(with_its_bound(criterion, option, of_solution), value_of);
    found.about = criterion.value.text;
    for (const Criterion& also : criterion.also) {
      if (found.outcome != Assessment::kMet) break;
      if (Assessment next = assess_alone(with_its_bound(also, option, of_solution), value_of);
          next.outcome != Assessment::kMet) {
        found = std::move(next);
        found.about = also.value.text;
      }
    }
    return found;
  } catch (const Error& error) {  // a formula names an option that this run does not have
    return not_assessed(error.message());
  }
}

}  // namespace

Criterion criterion_from(const Json& text, const Message& place) {
  if (!text.is_object()) throw usage_error(msg::at_place(place, msg::criterion_no_object()));
  Criterion criterion;
  criterion.name = required_text(text, "name", place);
  const Message here = msg::criterion_of(place, criterion.name);
  criterion.points = points_of(text, here);
  criterion.run = text_at(text, "run", here);
  read_statement(text, here, criterion);
  criterion.also = also_of(text, here, criterion);
  return criterion;
}

void resolve_values(Criterion& criterion, const lab::Lab& lab, const Message& place) {
  const Message here = msg::criterion_of(place, criterion.name);
  resolve(criterion.value, lab, here);
  resolve(criterion.per, lab, here);
  for (Criterion& also : criterion.also) resolve_values(also, lab, place);
}

Assessment assess(const Criterion& criterion, const lab::Row& row,
                  const std::vector<std::pair<std::string, lab::OptionValue>>& options,
                  const RowOfSolution& solution) {
  const auto number_of = [&](std::string_view name) -> std::optional<double> {
    const auto option = std::ranges::find(options, name, [](const auto& each) { return each.first; });
    if (option == options.end()) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&option->second)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&option->second)) return *real;
    return std::nullopt;
  };
  const auto value_of = [&](const ValuePaths& paths) { return value_in_row(row, paths); };
  if (!solution) return assess_all(criterion, value_of, number_of);
  return assess_all(criterion, value_of, number_of,
                    [&](const ValuePaths& paths) { return value_in_row(solution(), paths); });
}

Assessment assess(const Criterion& criterion, const Json& run, const Json& options) {
  const auto number_of = [&](std::string_view name) -> std::optional<double> {
    const Json option = value_at(options, name);
    return option.is_number() ? std::optional(option.get<double>()) : std::nullopt;
  };
  return assess_all(
      criterion, [&](const ValuePaths& paths) { return value_in_document(run, paths); }, number_of);
}

Message wanted(const Criterion& criterion) {
  for (const ComparisonName& row : kComparisons)
    if (row.comparison == criterion.comparison) return row.wanted(shown(criterion.bound));
  return {};
}

}  // namespace cudalab::course

// Reads ranges, and says whether a case keeps to them.
#include "course/cases/ranges.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "course/option_of.h"
#include "report/formats/json.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;
using lab::OptionValue;

const std::set<std::string, std::less<>> kKeysOfARange{"from",  "to", "multiple_of",
                                                       "below", "of", "compiled"};

std::int64_t whole(const Json& text, const char* key, std::int64_t fallback, std::string_view place) {
  const auto found = text.find(key);
  if (found == text.end()) return fallback;
  if (!found->is_number_integer()) throw usage_error("{}: `{}` must be a whole number", place, key);
  return found->get<std::int64_t>();
}

void require_keys_of_a_range(const Json& text, std::string_view place) {
  if (!text.is_object()) throw usage_error("{}: a range is an object, {{\"from\": 1, \"to\": 9}}", place);
  for (const auto& [key, value] : text.items())
    if (!kKeysOfARange.contains(key)) throw usage_error("{}: a range has no key `{}`", place, key);
}

// As the option itself would refuse it.
void require_allowed(const lab::OptionSpec& spec, const OptionValue& value) {
  lab::Options(std::vector<lab::OptionSpec>{spec}, false).set(spec.name, value);
}

std::vector<OptionValue> list_from(const Json& text, const lab::OptionSpec& spec, std::string_view place) {
  std::vector<OptionValue> values;
  for (const Json& one : text.value("of", Json::array())) {
    const auto value = report::option_value(spec, one);
    if (!value) throw usage_error("{}: the option cannot be {}", place, one.dump());
    require_allowed(spec, *value);
    values.push_back(*value);
  }
  return values;
}

bool is_of_numbers(const Range& range) {
  return range.one_of.empty() || std::holds_alternative<std::int64_t>(range.one_of.front());
}

Range range_from(const Json& text, const lab::OptionSpec& spec, std::string_view place) {
  require_keys_of_a_range(text, place);
  Range range{.option = spec.name, .one_of = list_from(text, spec, place)};
  range.is_compiled = text.value("compiled", Json(false)) == Json(true);
  range.below = text.value("below", Json("")).is_string() ? text.value("below", std::string()) : "";
  if (!range.one_of.empty()) return range;
  if (spec.kind != lab::OptionKind::kInteger)
    throw usage_error("{}: the option is no whole number: list its values in `of`", place);
  range.multiple_of = std::max<std::int64_t>(1, whole(text, "multiple_of", 1, place));
  range.least = whole(text, "from", spec.min, place);
  range.most = whole(text, "to", spec.max, place) / range.multiple_of * range.multiple_of;
  if (range.least > range.most || range.least % range.multiple_of != 0)
    throw usage_error("{}: from {} to {} there is no such number", place, range.least, range.most);
  require_allowed(spec, OptionValue(range.least));
  require_allowed(spec, OptionValue(range.most));
  return range;
}

bool allows(const Range& range, const OptionValue& value, const Case& options) {
  if (!range.one_of.empty())
    return std::find(range.one_of.begin(), range.one_of.end(), value) != range.one_of.end();
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto other = number_in(options, range.below);
  return number && *number >= range.least && *number <= range.most && *number % range.multiple_of == 0 &&
         (!other || *number < *other);
}

}  // namespace

std::optional<std::int64_t> number_in(const Case& options, std::string_view name) {
  for (const auto& [option, value] : options)
    if (option == name)
      if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return std::nullopt;
}

Ranges ranges_from(const Json& text, const lab::Lab& lab, std::string_view place) {
  if (!text.is_object()) throw usage_error("{}: `ranges` is an object of options and ranges", place);
  Ranges ranges;
  for (const lab::OptionSpec& spec : lab.options)
    if (const auto found = text.find(spec.name); found != text.end())
      ranges.ranges.push_back(range_from(*found, spec, fmt::format("{}: range of `{}`", place, spec.name)));
  for (const auto& [name, range] : text.items()) option_of(lab, name, place);
  return ranges;
}

std::vector<Together> together_from(const Json& text, const Ranges& ranges, std::string_view place) {
  std::vector<Together> all;
  const auto has = [&](const std::string& option) {
    return std::any_of(ranges.ranges.begin(), ranges.ranges.end(),
                       [&](const Range& range) { return range.option == option && is_of_numbers(range); });
  };
  for (const Json& one : text) {
    Together group;
    if (!one.is_object() || !one.contains("options") || !one["options"].is_array())
      throw usage_error(
          "{}: `together` is a list of {{\"options\": [\"rows\", \"cols\"], \"at_most\": 70000}}", place);
    for (const Json& option : one["options"])
      if (option.is_string() && has(option.get<std::string>()))
        group.options.push_back(option.get<std::string>());
      else
        throw usage_error("{}: `together` names {}, which has no range of numbers", place, option.dump());
    if (one.contains("per")) {
      if (!one["per"].is_string() || !has(one["per"].get<std::string>()))
        throw usage_error("{}: `together` names {}, which has no range of numbers", place, one["per"].dump());
      group.per = one["per"].get<std::string>();
    }
    group.at_most = whole(one, "at_most", 0, place);
    if (group.at_most < 1) throw usage_error("{}: `together` needs `at_most`, 1 or more", place);
    all.push_back(std::move(group));
  }
  return all;
}

bool is_within(const Case& options, const Ranges& ranges) {
  for (const Range& range : ranges.ranges) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const auto& entry) { return entry.first == range.option; });
    if (found != options.end() && !allows(range, found->second, options)) return false;
  }
  return std::all_of(ranges.together.begin(), ranges.together.end(), [&](const Together& group) {
    std::int64_t product = 1;
    for (const std::string& option : group.options) product *= number_in(options, option).value_or(1);
    return product <= group.at_most * (group.per.empty() ? 1 : number_in(options, group.per).value_or(1));
  });
}

}  // namespace cudalab::course

// The cases of an exercise: the ranges of its options, and cases drawn at random from them.
#include "course/cases/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/once.h"
#include "messages/course.h"
#include "messages/lab.h"
#include "report/formats/json.h"

namespace cudalab::course {
namespace {

using lab::OptionValue;

constexpr std::int64_t kAbove16Bits = 65'536;

bool is_prime(std::int64_t number) {
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

// All magnitudes are equally likely, so large numbers do not dominate.
std::int64_t of_any_magnitude(Dice& dice, std::int64_t least, std::int64_t most) {
  std::int64_t top = most;
  while (top / 2 > least && dice.below(4) != 0) top /= 2;
  return dice.between(std::max(least, top / 2), top);
}

std::int64_t prime_near(std::int64_t number) {
  while (number > 2 && !is_prime(number)) --number;
  return number;
}

std::int64_t power_of_two_near(std::int64_t number) {
  std::int64_t power = 1;
  while (power <= number / 2) power *= 2;
  return power;
}

// A multiple of a value that the case already has (a block's or a tile's size), or one more or less.
std::int64_t beside_a_multiple(Dice& dice, const Case& drawn, std::int64_t number) {
  std::vector<std::int64_t> units;
  for (const auto& [option, value] : drawn)
    if (const auto* unit = std::get_if<std::int64_t>(&value); unit && *unit > 1) units.push_back(*unit);
  if (units.empty()) return number;
  const std::int64_t unit = units[dice.below(units.size())];
  return std::max<std::int64_t>(1, number / unit) * unit + dice.between(-1, 1);
}

enum class Size { kSmall, kAny, kEven, kLarge };  // kEven: the options of a product have roughly equal values

// Options with a smaller maximum are blocks or tiles, not sizes.
constexpr std::int64_t kLeastOfSizes = 2000;

class Draw {
 public:
  // `first`: the option that is drawn before the others and is large in a large case; empty for none.
  Draw(const Ranges& ranges, Dice& dice, Size size, std::string_view first = {})
      : ranges_(ranges), dice_(dice), size_(size), first_(first) {}

  // `compiled`: the values that all cases of a variant share.
  Case from(const Case& compiled) {
    drawn_ = compiled;
    for (const Range* range : in_turn()) drawn_.emplace_back(range->option, value_of(*range));
    return in_order();
  }
  OptionValue value_of(const Range& range) {
    if (!range.one_of.empty()) return range.one_of[dice_.below(range.one_of.size())];
    auto [least, most] = bounds_for(range);
    const std::int64_t number = std::clamp(draw_number(dice_, least, most, drawn_), least, most);
    return std::max(range.least, number / range.multiple_of * range.multiple_of);
  }

 private:
  // Options in random order, so each is sometimes limited by the others. An option that must be below
  // another follows it.
  std::vector<const Range*> in_turn() {
    std::vector<const Range*> order;
    for (const Range& range : ranges_.ranges)
      if (!range.is_compiled) order.push_back(&range);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice_.below(i)]);
    std::stable_partition(order.begin(), order.end(),
                          [&](const Range* range) { return range->option == first_; });
    std::stable_partition(order.begin(), order.end(),
                          [](const Range* range) { return range->below.empty(); });
    return order;
  }

  std::pair<std::int64_t, std::int64_t> bounds_for(const Range& range) const {
    std::int64_t least = least_for(range), most = std::max(least, most_for(range));
    if (size_ == Size::kEven) return even_share(range, least, most);
    const bool is_block_or_tile = range.most < kLeastOfSizes && range.option != first_;
    if (is_block_or_tile || !range.below.empty()) return {least, most};
    if (size_ == Size::kSmall) most = std::min(most, std::max(least, kSmallest));
    if (size_ == Size::kLarge && (first_.empty() || range.option == first_))
      least = std::max(least, most > kAbove16Bits ? kAbove16Bits + 1 : most / 2);
    return {least, most};
  }

  std::pair<std::int64_t, std::int64_t> even_share(const Range& range, std::int64_t least,
                                                   std::int64_t most) const {
    for (const Together& group : ranges_.together) {
      if (!group.per.empty() ||
          std::find(group.options.begin(), group.options.end(), range.option) == group.options.end())
        continue;
      const auto share = static_cast<std::int64_t>(
          std::pow(static_cast<double>(group.at_most), 1.0 / static_cast<double>(group.options.size())));
      most = std::clamp(share, least, most);
      least = std::max(least, most / 2);
    }
    return {least, most};
  }

  const Range* range_of(std::string_view option) const {
    for (const Range& range : ranges_.ranges)
      if (range.option == option) return &range;
    return nullptr;
  }

  // A divisor must be at least this large for the options drawn before it.
  std::int64_t least_for(const Range& range) const {
    std::int64_t least = range.least;
    for (const Together& group : ranges_.together)
      if (group.per == range.option) least = std::max(least, (product_of(group) - 1) / group.at_most + 1);
    return std::min(least, range.most);
  }
  std::int64_t product_of(const Together& group) const {
    std::int64_t product = 1;
    for (const std::string& option : group.options)
      product *= std::max<std::int64_t>(1, number_in(drawn_, option).value_or(1));
    return product;
  }

  std::int64_t most_for(const Range& range) const {
    std::int64_t most = range.most;
    if (const auto other = number_in(drawn_, range.below)) most = std::min(most, *other - 1);
    for (const Together& group : ranges_.together) most = std::min(most, room_in(group, range));
    return most;
  }
  std::int64_t room_in(const Together& group, const Range& range) const {
    std::int64_t others = 1;
    bool is_member = false;
    for (const std::string& option : group.options)
      if (option == range.option)
        is_member = true;
      else
        others *= std::max<std::int64_t>(1, number_in(drawn_, option).value_or(range_of(option)->least));
    return is_member ? group.at_most * divisor_of(group) / others : std::numeric_limits<std::int64_t>::max();
  }

  // A divisor that is not drawn yet counts as its maximum: it will be drawn to fit.
  std::int64_t divisor_of(const Together& group) const {
    return group.per.empty() ? 1 : number_in(drawn_, group.per).value_or(range_of(group.per)->most);
  }

  Case in_order() const {
    Case ordered;
    for (const Range& range : ranges_.ranges)
      for (const auto& entry : drawn_)
        if (entry.first == range.option) ordered.push_back(entry);
    return ordered;
  }

  const Ranges& ranges_;
  Dice& dice_;
  Size size_;
  std::string_view first_;
  Case drawn_;
};

// Compiled values: the lower half of a range or list for one variant, the upper half for the other.
Range half_of(Range range, bool upper) {
  if (range.one_of.size() > 1) {
    const auto middle = range.one_of.begin() + static_cast<std::ptrdiff_t>(range.one_of.size() / 2);
    range.one_of =
        upper ? std::vector(middle, range.one_of.end()) : std::vector(range.one_of.begin(), middle);
  }
  const std::int64_t middle =
      (range.least + (range.most - range.least) / 2) / range.multiple_of * range.multiple_of;
  if (range.one_of.empty() && middle > range.least) (upper ? range.least : range.most) = middle;
  return range;
}

Case draw_compiled(const Ranges& ranges, Dice& dice, bool upper) {
  Case compiled;
  Draw draw(ranges, dice, Size::kAny);
  for (const Range& range : ranges.ranges)
    if (range.is_compiled) compiled.emplace_back(range.option, draw.value_of(half_of(range, upper)));
  return compiled;
}

bool is_compiled(const Ranges& ranges, std::string_view option) {
  return std::any_of(ranges.ranges.begin(), ranges.ranges.end(),
                     [&](const Range& range) { return range.option == option && range.is_compiled; });
}

// The options that are large in one case each, because a limit keeps them from being large together.
std::vector<std::string> large_ones(const Ranges& ranges, Dice& dice) {
  std::vector<std::string> large;
  for (const Together& group : ranges.together)
    for (const std::string& option : group.options)
      if (!is_compiled(ranges, option)) add_once(large, option);
  if (large.empty()) return {""};
  std::rotate(large.begin(), large.begin() + static_cast<std::ptrdiff_t>(dice.below(large.size())),
              large.end());
  return large;
}

}  // namespace

std::int64_t draw_number(Dice& dice, std::int64_t least, std::int64_t most, const Case& drawn) {
  const std::int64_t number = of_any_magnitude(dice, least, most);
  switch (dice.below(8)) {
    case 0: return least;
    case 1: return most;
    case 2: return prime_near(number);
    case 3: return power_of_two_near(number) + dice.between(-1, 1);
    case 4:
    case 5: return beside_a_multiple(dice, drawn, number);
    default: return number;
  }
}

std::vector<Case> draw_variants(const Ranges& ranges, Dice& dice) {
  std::vector<Case> variants{draw_compiled(ranges, dice, true)};
  if (Case other = draw_compiled(ranges, dice, false); other != variants.front())
    variants.push_back(std::move(other));
  return variants;
}

std::vector<Case> draw_cases(const Ranges& ranges, std::uint64_t seed, std::string_view name) {
  std::vector<Case> cases;
  if (ranges.empty()) return cases;
  Dice dice(seed, name);
  const std::vector<Case> variants = draw_variants(ranges, dice);
  for (const Case& compiled : variants)
    for (const Size size : {Size::kSmall, Size::kAny, Size::kEven})
      add_once(cases, Draw(ranges, dice, size).from(compiled));
  const std::vector<std::string> large = large_ones(ranges, dice);
  for (std::size_t i = 0; i < std::max(large.size(), variants.size()); ++i)
    add_once(cases,
             Draw(ranges, dice, Size::kLarge, large[i % large.size()]).from(variants[i % variants.size()]));
  return cases;
}

Case draw_case(const Ranges& ranges, std::uint64_t seed, std::string_view name) {
  Dice dice(seed, name);
  return Draw(ranges, dice, Size::kAny).from(draw_compiled(ranges, dice, dice.below(2) == 0));
}

namespace {

using Json = nlohmann::json;

const std::set<std::string, std::less<>> kKeysOfARange{"from",  "to", "multiple_of",
                                                       "below", "of", "compiled"};

std::int64_t whole(const Json& text, const char* key, std::int64_t fallback, const Message& place) {
  const auto found = text.find(key);
  if (found == text.end()) return fallback;
  if (!found->is_number_integer()) throw usage_error(msg::at_place(place, msg::number_expected(key)));
  return found->get<std::int64_t>();
}

void require_keys_of_a_range(const Json& text, const Message& place) {
  if (!text.is_object()) throw usage_error(msg::at_place(place, msg::range_no_object()));
  for (const auto& [key, value] : text.items())
    if (!kKeysOfARange.contains(key)) throw usage_error(msg::at_place(place, msg::range_key_unknown(key)));
}

// Throws as the option itself would for an invalid value.
void require_allowed(const lab::OptionSpec& spec, const OptionValue& value) {
  lab::Options(std::vector<lab::OptionSpec>{spec}, false).set(spec.name, value);
}

std::vector<OptionValue> list_from(const Json& text, const lab::OptionSpec& spec, const Message& place) {
  std::vector<OptionValue> values;
  for (const Json& one : text.value("of", Json::array())) {
    const auto value = report::option_value(spec, one);
    if (!value) throw usage_error(msg::at_place(place, msg::range_option_cannot_be(one.dump())));
    require_allowed(spec, *value);
    values.push_back(*value);
  }
  return values;
}

bool is_of_numbers(const Range& range) {
  return range.one_of.empty() || std::holds_alternative<std::int64_t>(range.one_of.front());
}

Range range_from(const Json& text, const lab::OptionSpec& spec, const Message& place) {
  require_keys_of_a_range(text, place);
  Range range{.option = spec.name, .one_of = list_from(text, spec, place)};
  range.is_compiled = text.value("compiled", Json(false)) == Json(true);
  range.below = text.value("below", Json("")).is_string() ? text.value("below", std::string()) : "";
  if (!range.one_of.empty()) return range;
  if (spec.kind != lab::OptionKind::kInteger)
    throw usage_error(msg::at_place(place, msg::range_needs_list()));
  range.multiple_of = std::max<std::int64_t>(1, whole(text, "multiple_of", 1, place));
  range.least = whole(text, "from", spec.min, place);
  range.most = whole(text, "to", spec.max, place) / range.multiple_of * range.multiple_of;
  if (range.least > range.most || range.least % range.multiple_of != 0)
    throw usage_error(msg::at_place(place, msg::range_empty(range.least, range.most)));
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

Ranges ranges_from(const Json& text, const lab::Lab& lab, const Message& place) {
  if (!text.is_object()) throw usage_error(msg::at_place(place, msg::ranges_no_object()));
  Ranges ranges;
  for (const lab::OptionSpec& spec : lab.options)
    if (const auto found = text.find(spec.name); found != text.end())
      ranges.ranges.push_back(range_from(*found, spec, msg::range_of(place, spec.name)));
  for (const auto& [name, range] : text.items()) option_of(lab, name, place);
  return ranges;
}

std::vector<Together> together_from(const Json& text, const Ranges& ranges, const Message& place) {
  std::vector<Together> all;
  const auto has = [&](const std::string& option) {
    return std::any_of(ranges.ranges.begin(), ranges.ranges.end(),
                       [&](const Range& range) { return range.option == option && is_of_numbers(range); });
  };
  for (const Json& one : text) {
    Together group;
    if (!one.is_object() || !one.contains("options") || !one["options"].is_array())
      throw usage_error(msg::at_place(place, msg::together_no_list()));
    for (const Json& option : one["options"])
      if (option.is_string() && has(option.get<std::string>()))
        group.options.push_back(option.get<std::string>());
      else
        throw usage_error(msg::at_place(place, msg::together_without_range(option.dump())));
    if (one.contains("per")) {
      if (!one["per"].is_string() || !has(one["per"].get<std::string>()))
        throw usage_error(msg::at_place(place, msg::together_without_range(one["per"].dump())));
      group.per = one["per"].get<std::string>();
    }
    group.at_most = whole(one, "at_most", 0, place);
    if (group.at_most < 1) throw usage_error(msg::at_place(place, msg::together_lacks_most()));
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

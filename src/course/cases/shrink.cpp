// Cases with consecutive sizes, and the smallest case that still fails.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/once.h"
#include "course/cases/ranges.h"

namespace cudalab::course {
namespace {

using lab::OptionValue;

// The values of one option: `count` consecutive integers from `first`, in an order that `stride` determines.
struct Stretch {
  const Range* range;
  std::int64_t first = 0, count = 1, stride = 1;
  std::int64_t value(std::int64_t i) const { return first + i * stride % count; }
};

bool has_remainders(const Range& range) {
  return !range.is_compiled && range.one_of.empty() && range.multiple_of == 1;
}

// The largest value of an option if all options of its product are equal.
std::int64_t most_alike(const Range& range, const Ranges& ranges, const Case& compiled) {
  std::int64_t most = range.most;
  for (const Together& group : ranges.together) {
    if (!group.per.empty() || std::ranges::find(group.options, range.option) == group.options.end()) continue;
    double room = static_cast<double>(group.at_most), alike = 0;
    for (const std::string& option : group.options)
      if (const auto fixed = number_in(compiled, option))
        room /= static_cast<double>(*fixed);
      else
        ++alike;
    constexpr double kRounding = 1e-9;  // for exact roots, such as a cube's third root
    most = std::min(most, static_cast<std::int64_t>(std::pow(room, 1 / alike) + kRounding));
  }
  return std::max(range.least, most);
}

std::int64_t values_in_a_row(const Range& range, const Ranges& ranges, const Case& compiled) {
  return std::min(kInARow, most_alike(range, ranges, compiled) - range.least + 1);
}

// How far from the option's smallest value the consecutive values may begin. The distance is shorter for
// options of a product, to keep the product small.
std::int64_t reach_of(const Range& range, const Ranges& ranges) {
  constexpr double kSmallProduct = 4000;
  std::size_t factors = 1;
  for (const Together& group : ranges.together)
    if (group.per.empty() && std::ranges::find(group.options, range.option) != group.options.end())
      factors = std::max(factors, group.options.size());
  if (factors == 1) return kSmallest;
  return static_cast<std::int64_t>(std::pow(kSmallProduct, 1.0 / static_cast<double>(factors)));
}

Case roomiest(const Ranges& ranges, const std::vector<Case>& variants, Dice& dice) {
  const auto room = [&](const Case& compiled) {
    std::int64_t values = 0;
    for (const Range& range : ranges.ranges)
      if (has_remainders(range)) values += values_in_a_row(range, ranges, compiled);
    return values;
  };
  const Case& some = variants[dice.below(variants.size())];
  return *std::ranges::max_element(variants, [&](const Case& a, const Case& b) {
    return room(a) != room(b) ? room(a) < room(b) : b == some && a != some;
  });
}

const Range* range_called(std::string_view option, const Ranges& ranges) {
  const auto found = std::ranges::find(ranges.ranges, option, &Range::option);
  return found == ranges.ranges.end() ? nullptr : &*found;
}

// If another option must be less than this one, this option's values begin after the other's.
Stretch stretch_of(const Range& range, const std::vector<Stretch>& before, const Ranges& ranges,
                   const Case& compiled, Dice& dice) {
  Stretch stretch{&range, range.least, values_in_a_row(range, ranges, compiled)};
  for (const Stretch& other : before)
    if (other.range->below == range.option)
      stretch.first = std::max(stretch.first, other.first + other.count);
  std::int64_t last = most_alike(range, ranges, compiled) - stretch.count + 1;
  if (const Range* above = range_called(range.below, ranges))
    last = std::max(range.least, std::min(last, most_alike(*above, ranges, compiled) - 2 * kInARow));
  const std::int64_t small = std::min(last, stretch.first + reach_of(range, ranges));
  if (small > stretch.first)
    stretch.first = std::clamp(draw_number(dice, stretch.first, small, compiled), stretch.first, small);
  const std::int64_t strides = static_cast<std::int64_t>(before.size()) + 1;
  for (stretch.stride = strides; std::gcd(stretch.stride, stretch.count) != 1;) ++stretch.stride;
  return stretch;
}

std::vector<Stretch> stretches_of(const Ranges& ranges, const Case& compiled, Dice& dice) {
  std::vector<Stretch> stretches;
  for (const bool stays_below : {true, false})
    for (const Range& range : ranges.ranges)
      if (has_remainders(range) && range.below.empty() != stays_below)
        stretches.push_back(stretch_of(range, stretches, ranges, compiled, dice));
  return stretches;
}

// Draws a small value for options that are not sizes: blocks of whole warps, types, functions.
OptionValue small_value(const Range& range, Dice& dice) {
  constexpr std::int64_t kFewSteps = 3;
  if (!range.one_of.empty()) return range.one_of[dice.below(range.one_of.size())];
  const std::int64_t most = std::min(range.most, range.least + kFewSteps * range.multiple_of);
  return dice.between(range.least, most) / range.multiple_of * range.multiple_of;
}

Case consecutive_case(const Ranges& ranges, const Case& compiled, const std::vector<Stretch>& stretches,
                      std::int64_t i, Dice& dice) {
  Case options;
  for (const Range& range : ranges.ranges) {
    const auto stretch = std::ranges::find(stretches, &range, &Stretch::range);
    const auto fixed = std::ranges::find(compiled, range.option, &Case::value_type::first);
    if (stretch != stretches.end())
      options.emplace_back(range.option, stretch->value(i));
    else
      options.emplace_back(range.option, fixed != compiled.end() ? fixed->second : small_value(range, dice));
  }
  return options;
}

}  // namespace

std::vector<Case> draw_consecutive(const Ranges& ranges, std::uint64_t seed, std::string_view name) {
  std::vector<Case> cases;
  if (std::ranges::none_of(ranges.ranges, has_remainders)) return cases;
  Dice drawn(seed, name), dice(seed, fmt::format("{} in a row", name));
  Case compiled = roomiest(ranges, draw_variants(ranges, drawn), dice);
  const std::vector<Stretch> stretches = stretches_of(ranges, compiled, dice);
  // A block's size is often a macro, so one value for all cases saves compilations.
  for (const Range& range : ranges.ranges)
    if (!range.is_compiled && range.multiple_of > 1)
      compiled.emplace_back(range.option, small_value(range, dice));
  for (std::int64_t i = 0; i < kInARow; ++i)
    if (Case options = consecutive_case(ranges, compiled, stretches, i, dice); is_within(options, ranges))
      add_once(cases, std::move(options));
  return cases;
}

namespace {

class Shrinking {
 public:
  Shrinking(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails)
      : smallest_(std::move(failing)), ranges_(ranges), fails_(fails) {}

  Case smallest() {
    for (bool is_smaller = true; is_smaller;) {
      is_smaller = false;
      for (const Range& range : ranges_.ranges)
        if (!range.is_compiled) is_smaller |= range.one_of.empty() ? shrink(range) : take_an_earlier(range);
    }
    for (const Range& range : ranges_.ranges)
      if (!range.is_compiled && range.one_of.empty()) take_the_first(range);
    return smallest_;
  }

 private:
  static constexpr int kQuestions = 60;

  bool still_fails_with(const std::string& option, OptionValue value) {
    Case changed = smallest_;
    for (auto& [name, old] : changed)
      if (name == option) old = std::move(value);
    if (questions_ == 0 || !is_within(changed, ranges_)) return false;
    --questions_;
    if (!fails_(changed)) return false;
    smallest_ = std::move(changed);
    return true;
  }

  // Bisects between passing and failing values. The result is not the smallest failing value if some values
  // in between pass.
  bool shrink(const Range& range) {
    const std::int64_t before = number_in(smallest_, range.option).value_or(range.least);
    if (before == range.least || still_fails_with(range.option, range.least)) return before != range.least;
    std::int64_t passes = range.least;
    for (std::int64_t fails = before; fails - passes > range.multiple_of;) {
      const std::int64_t middle = passes + (fails - passes) / 2 / range.multiple_of * range.multiple_of;
      (still_fails_with(range.option, middle) ? fails : passes) = middle;
    }
    return number_in(smallest_, range.option) != before;
  }

  // Tries the smallest values one by one, which is fast. Bisection misses a kernel that fails for one
  // remainder only.
  void take_the_first(const Range& range) {
    questions_ = kInARow;
    for (std::int64_t i = 0; i < kInARow; ++i) {
      const std::int64_t value = range.least + i * range.multiple_of;
      if (value >= number_in(smallest_, range.option).value_or(range.least)) return;
      if (still_fails_with(range.option, value)) return;
    }
  }

  bool take_an_earlier(const Range& range) {
    for (const OptionValue& value : range.one_of) {
      for (const auto& [name, now] : smallest_)
        if (name == range.option && now == value) return false;
      if (still_fails_with(range.option, value)) return true;
    }
    return false;
  }

  Case smallest_;
  const Ranges& ranges_;
  const std::function<bool(const Case&)>& fails_;
  int questions_ = kQuestions;  // remaining calls of `fails`
};

}  // namespace

Case smallest(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails) {
  return Shrinking(std::move(failing), ranges, fails).smallest();
}

}  // namespace cudalab::course

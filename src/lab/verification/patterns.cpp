// Finds what wrong elements have in common, in their values first, then in their places. Each pattern is a
// function that returns its sentence, or an empty one.
#include "lab/verification/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "messages/lab.h"

namespace cudalab::lab {
namespace {

// With fewer different values than this, they may agree with a pattern by chance.
constexpr std::size_t kFewestDifferent = 4;
constexpr double kNear = 1e-5;                // relative: the accuracy of a result in single precision
constexpr double kSinglePrecision = 0x1p-20;  // the relative error of a result that was computed in float
constexpr double kDoublePrecision = 0x1p-30;  // smaller relative errors are those of a sum in double
constexpr double kLargestFactor = 64;         // a larger factor may be a whole number by chance
constexpr int kLongestShift = 1024;

class Patterns {
 public:
  explicit Patterns(const ComparedArrays& arrays)
      : count_(std::min(arrays.count, kMostLookedAt)), arrays_(arrays) {
    found_.resize(count_);
    expected_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      found_[i] = arrays.found(i);
      expected_[i] = arrays.expected(i);
      if (arrays.is_wrong(i)) wrong_.push_back(i);
    }
    has_variety_ = different(expected_) >= kFewestDifferent && different(found_) >= kFewestDifferent;
    if (arrays.shape.size() == 2 && count_ == arrays.count) {
      rows_ = static_cast<std::size_t>(arrays.shape[0]);
      columns_ = static_cast<std::size_t>(arrays.shape[1]);
    }
  }

  std::vector<Message> all() const {
    std::vector<Message> sentences;
    if (wrong_.empty()) return sentences;
    if (!arrays_.has_unwritten)
      if (Message sentence = value(); !sentence.empty()) sentences.push_back(std::move(sentence));
    if (Message sentence = place(); !sentence.empty()) sentences.push_back(std::move(sentence));
    return sentences;
  }

 private:
  Message value() const {
    for (const auto pattern :
         {&Patterns::not_finite, &Patterns::all_equal, &Patterns::ratio, &Patterns::difference,
          &Patterns::truncated, &Patterns::single_precision, &Patterns::transposed, &Patterns::in_tiles,
          &Patterns::reversed, &Patterns::exchanged, &Patterns::shifted, &Patterns::permuted})
      if (Message sentence = (this->*pattern)(); !sentence.empty()) return sentence;
    return {};
  }

  bool is_near(double a, double b) const {
    if (arrays_.is_exact) return a == b;
    return std::abs(a - b) <= kNear * std::max(std::abs(a), std::abs(b));
  }
  // Whether `holds` is true of all wrong elements.
  template <class Holds>
  bool everywhere(const Holds& holds) const {
    return std::ranges::all_of(wrong_, holds);
  }
  std::size_t different(const std::vector<double>& values) const {
    std::set<double> seen;
    for (const std::size_t i : wrong_) {
      seen.insert(values[i]);
      if (seen.size() >= kFewestDifferent) break;
    }
    return seen.size();
  }
  bool has_variety() const { return has_variety_; }

  // ---- values --------------------------------------------------------------------------------------------

  Message not_finite() const {
    const auto is_finite = [this](std::size_t i) { return std::isfinite(found_[i]); };
    if (std::ranges::any_of(wrong_, is_finite)) return {};
    return msg::wrong_not_finite();
  }

  Message all_equal() const {
    const double value = found_[wrong_.front()];
    if (different(expected_) < kFewestDifferent) return {};
    if (!everywhere([&](std::size_t i) { return found_[i] == value; })) return {};
    return value == 0 ? msg::wrong_all_zero() : msg::wrong_all_equal(value);
  }

  // The ratio if it is a whole number or the inverse of one; else empty.
  static std::optional<double> simple(double ratio) {
    const double size = std::abs(ratio), factor = size >= 1 ? size : 1 / size, whole = std::round(factor);
    if (!(whole >= 1 && whole <= kLargestFactor) || std::abs(factor - whole) > kNear * whole)
      return std::nullopt;
    const double exact = size >= 1 ? whole : 1 / whole;
    return ratio < 0 ? -exact : exact;
  }

  Message ratio() const {
    const auto first = std::ranges::find_if(wrong_, [this](std::size_t i) { return expected_[i] != 0; });
    if (first == wrong_.end()) return {};
    double factor = found_[*first] / expected_[*first];
    const std::optional<double> exact = simple(factor);
    if (exact) factor = *exact;
    // A single wrong element always has some ratio, so only a simple one is worth reporting.
    const bool is_told = exact ? wrong_.size() < kFewestDifferent || has_variety() : has_variety();
    if (!is_told || factor == 0 || factor == 1 || std::abs(factor) > 1e9) return {};
    if (!everywhere([&](std::size_t i) { return is_near(found_[i], factor * expected_[i]); })) return {};
    if (factor == -1) return msg::wrong_negated(wrong_.size());
    if (factor > 1 && exact) return msg::wrong_multiple(wrong_.size(), std::llround(*exact));
    if (exact && factor > 0) return msg::wrong_fraction(wrong_.size(), std::llround(1 / *exact));
    return msg::wrong_ratio(wrong_.size(), factor);
  }

  Message difference() const {
    if (wrong_.size() < kFewestDifferent || !has_variety() || are_evenly_spaced()) return {};
    const double value = found_[wrong_.front()] - expected_[wrong_.front()];
    const auto holds = [&](std::size_t i) {
      const double here = found_[i] - expected_[i];
      const double scale = std::max({std::abs(found_[i]), std::abs(expected_[i]), std::abs(value)});
      return std::abs(here - value) <= kNear * scale && std::abs(value) > 100 * kNear * scale;
    };
    return everywhere(holds) ? msg::wrong_difference(value) : Message();
  }

  // Of such values, a constant difference may as well be the value of another element.
  bool are_evenly_spaced() const {
    const double step = expected_[1] - expected_[0];
    for (std::size_t i = 2; i < count_; ++i)
      if (!is_near(expected_[i], expected_[i - 1] + step)) return false;
    return true;
  }

  Message truncated() const {
    const auto holds = [&](std::size_t i) {
      return std::abs(expected_[i]) < 1e9 && found_[i] == std::trunc(expected_[i]) &&
             found_[i] != expected_[i];
    };
    return !arrays_.is_whole && wrong_.size() >= kFewestDifferent &&
                   different(expected_) >= kFewestDifferent && everywhere(holds)
               ? msg::wrong_truncated()
               : Message();
  }

  // A few of the errors may be smaller by chance.
  Message single_precision() const {
    const auto is_within = [&](double share) {
      return [this, share](std::size_t i) {
        return std::abs(found_[i] - expected_[i]) <= share * std::abs(expected_[i]);
      };
    };
    if (!arrays_.is_double || arrays_.is_exact || !everywhere(is_within(kSinglePrecision))) return {};
    const auto too_small =
        static_cast<std::size_t>(std::ranges::count_if(wrong_, is_within(kDoublePrecision)));
    return 2 * too_small < wrong_.size() ? msg::wrong_single_precision() : Message();
  }

  // ---- values in other places ----------------------------------------------------------------------------

  // Whether each wrong element, with few exceptions at the edges, has the value expected at source(i).
  template <class Source>
  bool comes_from(const Source& source) const {
    if (!has_variety()) return false;
    std::size_t compared = 0;
    for (const std::size_t i : wrong_) {
      const std::optional<std::size_t> from = source(i);
      if (!from) continue;
      if (*from >= count_ || !is_near(found_[i], expected_[*from])) return false;
      ++compared;
    }
    return compared >= kFewestDifferent && 2 * compared >= wrong_.size();
  }
  using Source = std::optional<std::size_t>;

  Message transposed() const {
    if (rows_ < 2 || columns_ < 2) return {};
    const auto source = [this](std::size_t i) { return Source(i % rows_ * columns_ + i / rows_); };
    return comes_from(source) ? msg::wrong_transposed() : Message();
  }

  // The value belongs to another place in the same tile, or to the same place of another tile.
  Message in_tiles() const {
    if (rows_ < 2 || columns_ < 2) return {};
    for (const std::size_t tile : {32u, 16u, 8u, 4u}) {
      const auto within = [&](std::size_t i) -> Source {
        const std::size_t row = i / columns_, column = i % columns_, y = row % tile, x = column % tile;
        if (row - y + x >= rows_ || column - x + y >= columns_) return std::nullopt;
        return (row - y + x) * columns_ + column - x + y;
      };
      if (comes_from(within)) return msg::wrong_transposed_in_tiles(tile);
      const auto between = [&](std::size_t i) -> Source {
        const std::size_t row = i / columns_, column = i % columns_, y = row % tile, x = column % tile;
        if (column - x + y >= rows_ || row - y + x >= columns_) return std::nullopt;
        return (column - x + y) * columns_ + row - y + x;
      };
      if (comes_from(between)) return msg::wrong_tiles_exchanged(tile);
    }
    return {};
  }

  Message reversed() const {
    if (comes_from([this](std::size_t i) { return Source(count_ - 1 - i); })) return msg::wrong_reversed();
    for (std::size_t group = 32; group <= 1024 && group < count_; group *= 2) {
      const auto source = [&](std::size_t i) { return Source(i / group * group + group - 1 - i % group); };
      if (comes_from(source)) return msg::wrong_reversed_in_groups(group);
    }
    return {};
  }

  Message exchanged() const {
    for (std::size_t distance = 1; distance <= kLongestShift && distance < count_; distance *= 2) {
      // Otherwise each element that is wrong has the value of a right one, which is a shift.
      const auto is_mutual = [&](std::size_t i) {
        return (i ^ distance) >= count_ || std::ranges::binary_search(wrong_, i ^ distance);
      };
      if (everywhere(is_mutual) && comes_from([&](std::size_t i) { return Source(i ^ distance); }))
        return msg::wrong_exchanged(distance);
    }
    return {};
  }

  Message shifted() const {
    const auto source = [this](std::int64_t distance) {
      return [this, distance](std::size_t i) -> Source {
        const std::int64_t from = static_cast<std::int64_t>(i) + distance;
        if (from < 0 || from >= static_cast<std::int64_t>(count_)) return std::nullopt;
        return static_cast<std::size_t>(from);
      };
    };
    std::vector<std::int64_t> distances{static_cast<std::int64_t>(columns_)};
    for (std::int64_t distance = 1; distance <= kLongestShift; ++distance) distances.push_back(distance);
    for (const std::int64_t distance : distances) {
      if (distance == 0) continue;
      if (comes_from(source(-distance))) return msg::wrong_shifted_behind(distance);
      if (comes_from(source(distance))) return msg::wrong_shifted_before(distance);
    }
    return {};
  }

  Message permuted() const {
    if (count_ != arrays_.count || !arrays_.is_exact || !has_variety()) return {};
    std::vector<double> found = found_, expected = expected_;
    std::ranges::sort(found);
    std::ranges::sort(expected);
    return found == expected ? msg::wrong_permuted() : Message();
  }

  // ---- places --------------------------------------------------------------------------------------------

  Message place() const {
    const std::size_t first = wrong_.front(), last = wrong_.back();
    if (wrong_.size() < 2 || wrong_.size() == count_ || count_ != arrays_.count) return {};
    const bool has_no_gap = last - first + 1 == wrong_.size();
    if (has_no_gap && last + 1 == count_ && first > 0) return msg::wrong_place_from(first);
    if (has_no_gap && first == 0) return msg::wrong_place_up_to(last);
    if (Message sentence = in_lines(); !sentence.empty()) return sentence;
    return in_step();
  }

  // Whole rows or whole columns are wrong.
  Message in_lines() const {
    if (rows_ < 2 || columns_ < 2) return {};
    std::set<std::size_t> rows, columns;
    for (const std::size_t i : wrong_) {
      rows.insert(i / columns_);
      columns.insert(i % columns_);
    }
    const bool is_full = rows.size() * columns.size() == wrong_.size();
    if (!is_full || (rows.size() == rows_ && columns.size() == columns_)) return {};
    if (rows.size() == rows_ && are_adjacent(columns))
      return msg::wrong_place_columns(*columns.begin(), *columns.rbegin());
    if (columns.size() == columns_ && are_adjacent(rows))
      return msg::wrong_place_rows(*rows.begin(), *rows.rbegin());
    return {};
  }
  static bool are_adjacent(const std::set<std::size_t>& numbers) {
    return *numbers.rbegin() - *numbers.begin() + 1 == numbers.size();
  }

  // Exactly the elements whose index has one remainder are wrong, or exactly those are right.
  Message in_step() const {
    constexpr std::size_t kFewestPeriods = 3;
    for (std::size_t step = 2; step <= kLongestShift && kFewestPeriods * step <= count_; ++step) {
      const std::size_t remainder = wrong_.front() % step, in_class = (count_ - remainder + step - 1) / step;
      if (wrong_.size() == in_class && everywhere([&](std::size_t i) { return i % step == remainder; }))
        return msg::wrong_place_every(step, remainder);
    }
    std::size_t right = 0;  // the first right element
    while (right < wrong_.size() && wrong_[right] == right) ++right;
    for (std::size_t step = 2; step <= kLongestShift && kFewestPeriods * step <= count_; ++step) {
      const std::size_t in_class = (count_ - right % step + step - 1) / step;
      if (count_ - wrong_.size() == in_class &&
          everywhere([&](std::size_t i) { return i % step != right % step; }))
        return msg::wrong_place_all_but_every(step, right % step);
    }
    return {};
  }

  std::size_t count_, rows_ = 0, columns_ = 0;
  const ComparedArrays& arrays_;
  std::vector<double> found_, expected_;
  std::vector<std::size_t> wrong_;
  bool has_variety_ = false;  // enough different values that their places cannot agree by chance
};

}  // namespace

std::vector<Message> patterns_of(const ComparedArrays& arrays) { return Patterns(arrays).all(); }

std::shared_ptr<const ComparedValues> kept_values(const ComparedArrays& arrays) {
  if (arrays.count > kMostKept) return nullptr;
  auto kept = std::make_shared<ComparedValues>();
  for (std::size_t i = 0; i < arrays.count; ++i) {
    kept->found.push_back(arrays.found(i));
    kept->expected.push_back(arrays.expected(i));
    if (arrays.is_wrong(i)) kept->wrong.push_back(i);
  }
  return kept;
}

Message pattern_of_input(const ComparedValues& values, const std::string& input,
                         std::span<const double> elements) {
  if (elements.size() != values.found.size()) return {};
  std::set<double> different;
  for (const std::size_t i : values.wrong) different.insert(elements[i]);
  if (different.size() < kFewestDifferent) return {};
  const auto everywhere = [&](double share_of_expected, double sign) {
    return std::ranges::all_of(values.wrong, [&](std::size_t i) {
      const double wanted = share_of_expected * values.expected[i] + sign * elements[i];
      const double scale = std::max({std::abs(wanted), std::abs(elements[i]), std::abs(values.expected[i])});
      return std::abs(values.found[i] - wanted) <= kNear * scale;
    });
  };
  if (everywhere(0, 1)) return msg::wrong_is_input(Code{input});
  if (everywhere(1, 1)) return msg::wrong_contains_own(Code{input});
  return everywhere(1, -1) ? msg::wrong_lacks_own(Code{input}) : Message();
}

namespace {

constexpr std::size_t kFewestToCompare = 4;

struct Operation {
  char symbol;
  float (*apply)(float, float);
};
constexpr Operation kOperations[]{{'+', [](float x, float y) { return x + y; }},
                                  {'-', [](float x, float y) { return x - y; }},
                                  {'*', [](float x, float y) { return x * y; }},
                                  {'/', [](float x, float y) { return x / y; }}};

float applied(char symbol, float x, float y) {
  return std::ranges::find(kOperations, symbol, &Operation::symbol)->apply(x, y);
}

// Whether a number that was printed with six digits is this value.
bool is_printed(float found, float value) {
  constexpr float kSixDigits = 1e-5f;
  return found == value || std::fabs(found - value) <= kSixDigits * std::fabs(value);
}

}  // namespace

Message pattern_of_operands(std::span<const float> found, const Operand& first, char operation,
                            const Operand& second) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!is_printed(found[i], applied(operation, first.values[i], second.values[i]))) wrong.push_back(i);
  if (wrong.size() < kFewestToCompare) return {};
  const auto all = [&](const auto& value_at) {
    return std::ranges::all_of(wrong, [&](std::size_t i) { return is_printed(found[i], value_at(i)); });
  };
  for (const Operand* operand : {&first, &second})
    if (all([&](std::size_t i) { return operand->values[i]; }))
      return msg::wrong_is_input(Code{operand->name});
  const auto text = [](const Operand& x, char symbol, const Operand& y) {
    return Code{fmt::format("{} {} {}", x.name, symbol, y.name)};
  };
  const auto whole = [&](std::size_t i) {
    return applied(operation, std::trunc(first.values[i]), std::trunc(second.values[i]));
  };
  if (all(whole))
    return msg::wrong_operation(Code{fmt::format("int({}) {} int({})", first.name, operation, second.name)},
                                text(first, operation, second));
  for (const Operand* operand : {&first, &second})
    if (all([&](std::size_t i) { return applied(operation, operand->values[i], operand->values[i]); }))
      return msg::wrong_operation(text(*operand, operation, *operand), text(first, operation, second));
  for (const Operation& other : kOperations) {
    if (other.symbol == operation) continue;
    if (all([&](std::size_t i) { return other.apply(first.values[i], second.values[i]); }))
      return msg::wrong_operation(text(first, other.symbol, second), text(first, operation, second));
    if (all([&](std::size_t i) { return other.apply(second.values[i], first.values[i]); }))
      return msg::wrong_operation(text(second, other.symbol, first), text(first, operation, second));
  }
  return {};
}

}  // namespace cudalab::lab

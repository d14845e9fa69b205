// Counts the terms of a sum, and finds those that it lacks, from the results of runs with chosen inputs.
#include "course/reasons/marked_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "messages/course.h"

namespace cudalab::course {
namespace {

std::optional<double> parsed_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<WrongNumber> numbers_of(const lab::Check& check) {
  const auto& first = check.first_mismatch;
  if (!first || first->never_written) return std::nullopt;
  const std::optional<double> found = parsed_number(first->found), expected = parsed_number(first->expected);
  return found && expected ? std::optional(WrongNumber{*found, *expected}) : std::nullopt;
}

namespace {

std::optional<WrongNumber> finite_numbers_of(const lab::Check& check) {
  const std::optional<WrongNumber> wrong = numbers_of(check);
  return wrong && std::isfinite(wrong->found) && std::isfinite(wrong->expected) ? wrong : std::nullopt;
}

}  // namespace

std::optional<Reason> reason_of_ones(const lab::Check& check) {
  if (check.mismatches == 0) return Reason{msg::evidence_ones_right()};
  const std::optional<WrongNumber> wrong = finite_numbers_of(check);
  if (!wrong || wrong->found != std::floor(wrong->found) || wrong->expected != std::floor(wrong->expected) ||
      wrong->expected < kFewestTerms || wrong->found < 0)
    return std::nullopt;
  const auto terms = static_cast<std::int64_t>(std::abs(wrong->found - wrong->expected));
  const auto sum = static_cast<std::int64_t>(wrong->found),
             needed = static_cast<std::int64_t>(wrong->expected);
  return Reason{sum < needed ? msg::evidence_ones_missing(sum, needed, terms)
                             : msg::evidence_ones_more(sum, needed, terms)};
}

std::optional<Reason> reason_of_rounding(const lab::Check& check) {
  constexpr double kMostRounding = 1e-5;
  const std::optional<WrongNumber> wrong = finite_numbers_of(check);
  if (!wrong || wrong->expected == 0 || check.compared != 1) return std::nullopt;
  const double error = std::abs(wrong->found - wrong->expected) / std::abs(wrong->expected);
  if (error > kMostRounding) return std::nullopt;
  return Reason{msg::evidence_rounding(fmt::format("{:.1e}", error))};
}

namespace {

// found / expected for a wrong result; 1 for a correct one; empty if the numbers allow no conclusion.
std::optional<double> share_in_sum(const lab::Check& check) {
  if (check.mismatches == 0) return 1;
  const std::optional<WrongNumber> wrong = finite_numbers_of(check);
  if (!wrong || wrong->expected <= 0) return std::nullopt;
  return wrong->found / wrong->expected;
}

// Remainders in words: "3, 5 to 7". At most kMostRuns runs, or empty.
Argument::List runs_in_words(const std::vector<bool>& is_member) {
  constexpr std::size_t kMostRuns = 5;
  Argument::List runs;
  for (std::size_t i = 0; i < is_member.size(); ++i) {
    if (!is_member[i]) continue;
    const std::size_t first = i;
    while (i + 1 < is_member.size() && is_member[i + 1]) ++i;
    if (runs.size() == kMostRuns) return {};
    runs.push_back(first == i ? Argument(first) : Argument(msg::numbers_run(first, i)));
  }
  return runs;
}

std::size_t shortest_period(const std::vector<bool>& values) {
  const auto repeats_after = [&values](std::size_t period) {
    return std::equal(values.begin() + static_cast<std::ptrdiff_t>(period), values.end(), values.begin());
  };
  for (std::size_t period = 1; period <= values.size() / 2; ++period)
    if (values.size() % period == 0 && repeats_after(period)) return period;
  return values.size();
}

// The elements whose index has certain remainders; empty if that is all or none.
std::optional<Message> members_in_words(std::vector<bool> is_member) {
  is_member.resize(shortest_period(is_member));
  const std::size_t period = is_member.size();
  if (period == 1) return std::nullopt;
  const auto first = std::ranges::find(is_member, true), end = std::find(first, is_member.end(), false);
  if (end - first == std::ranges::count(is_member, true)) {
    const auto begin = static_cast<std::size_t>(first - is_member.begin());
    return remainders_in_words(period, begin, static_cast<std::size_t>(end - is_member.begin()) - 1);
  }
  if (auto runs = runs_in_words(is_member); !runs.empty())
    return msg::elements_remainders(period, std::move(runs));
  is_member.flip();
  if (auto runs = runs_in_words(is_member); !runs.empty())
    return msg::elements_other_remainders(period, std::move(runs));
  return std::nullopt;
}

std::optional<Message> elements_with_share(const std::vector<double>& shares, double share,
                                           std::size_t width) {
  std::vector<bool> is_member(width * shares.size());
  for (std::size_t i = 0; i < is_member.size(); ++i) is_member[i] = shares[i / width] == share;
  return members_in_words(std::move(is_member));
}

// Whole classes are missing or added several times, and the others are right.
std::optional<Reason> reason_of_whole_classes(const std::vector<double>& shares, std::size_t width) {
  const auto odd = std::ranges::find_if(shares, [](double share) { return share != 1; });
  if (odd == shares.end() || *odd != std::floor(*odd)) return std::nullopt;
  const auto is_alike = [odd](double share) { return share == 1 || share == *odd; };
  if (!std::ranges::all_of(shares, is_alike)) return std::nullopt;
  auto elements = elements_with_share(shares, *odd, width);
  if (!elements) return std::nullopt;
  return *odd == 0
             ? Reason{msg::evidence_lost_terms(*std::move(elements))}
             : Reason{msg::evidence_repeated_terms(*std::move(elements), static_cast<std::int64_t>(*odd))};
}

// Whether the wrong result of a class is the first number of the output, and the class has its part of that
// sum: otherwise, as in a matrix product, a term may need elements of several classes.
bool is_part_of_first_sum(const lab::Check& check, double sum, std::size_t classes) {
  constexpr double kLeast = 0.4, kMost = 2.1;  // times the mean: few terms are not divided evenly
  if (check.mismatches == 0 || check.compared == 1) return true;
  const auto numbers = numbers_of(check);
  if (!numbers || !std::ranges::all_of(check.first_mismatch->at, [](auto i) { return i == 0; })) return false;
  const double share = numbers->expected / sum * static_cast<double>(classes);
  return kLeast < share && share < kMost;
}

}  // namespace

std::optional<Reason> reason_of_first_sum(const AskForMarks& ask, double sum,
                                          std::uint64_t threads_of_block) {
  constexpr std::size_t kWarp = 32, kMostClasses = 192;
  struct Classes {
    std::size_t width, count;
  };
  std::vector<Classes> ways{{1, kWarp}, {kWarp, kWarp}};
  const bool has_odd_blocks = !std::has_single_bit(threads_of_block) && threads_of_block <= kMostClasses;
  if (has_odd_blocks) ways.insert(ways.begin(), {1, static_cast<std::size_t>(threads_of_block)});
  std::optional<Message> missing;
  for (const auto& [width, count] : ways) {
    std::vector<double> shares;
    for (std::size_t marked = 0; marked < count; ++marked) {
      const auto check = ask({width, count, marked});
      if (!check || !is_part_of_first_sum(*check, sum, count)) return std::nullopt;
      const auto share = share_in_sum(*check);
      if (!share) return std::nullopt;
      shares.push_back(*share);
    }
    if (auto reason = reason_of_whole_classes(shares, width)) return reason;
    // Some are missing, and others are included in part.
    if (!missing && width == 1) missing = elements_with_share(shares, 0, width);
  }
  return missing ? std::optional(Reason{msg::evidence_lost_terms(*std::move(missing))}) : std::nullopt;
}

std::optional<Reason> reason_of_first_term(const AskForMarks& ask, std::size_t terms) {
  const auto is_wrong = [&](std::size_t width, std::size_t number) {
    const auto check = ask({width, std::numeric_limits<std::size_t>::max(), number});
    return check ? std::optional(check->mismatches > 0) : std::nullopt;
  };
  std::size_t number = 0;  // of the range of `width` elements that contains the first one
  for (std::size_t width = std::bit_ceil(terms) / 2; width > 0; width /= 2) {
    number *= 2;
    const auto is_left_wrong = is_wrong(width, number);
    if (!is_left_wrong) return std::nullopt;
    if (!*is_left_wrong) ++number;
  }
  if (number >= terms || !is_wrong(1, number).value_or(false)) return std::nullopt;
  return Reason{msg::evidence_first_term(number)};
}

}  // namespace cudalab::course

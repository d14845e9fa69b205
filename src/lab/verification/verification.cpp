// Comparing what a run wrote with what it should have written.
#include "lab/verification/verification.h"

#include "core/text.h"

namespace cudalab::lab {

std::vector<std::int64_t> coordinates(std::size_t index, const Shape& shape) {
  std::vector<std::int64_t> at(std::max<std::size_t>(shape.size(), 1));
  auto rest = static_cast<std::int64_t>(index);
  for (std::size_t dimension = at.size() - 1; dimension > 0; --dimension) {
    at[dimension] = rest % shape[dimension];
    rest /= shape[dimension];
  }
  at[0] = rest;
  return at;
}

std::string describe(const Check& check) {
  if (check.mismatches == 0) return {};
  std::string text = fmt::format("{} of {} {} wrong", check.mismatches,
                                 counted(static_cast<double>(check.compared), "element"),
                                 check.mismatches == 1 ? "is" : "are");
  if (!check.first_mismatch) return text;
  const Mismatch& first = *check.first_mismatch;
  text += "; the first is ";
  for (const std::int64_t coordinate : first.at) text += fmt::format("[{}]", coordinate);
  text += first.never_written ? ": never written" : fmt::format(": found {}", first.found);
  return text + fmt::format(", expected {}", first.expected);
}

namespace detail {

void Tally::add(std::size_t index, double error_here, double allowed_here) {
  const double used_here =
      error_here == 0 ? 0 : error_here / allowed_here;  // infinite where nothing is allowed
  if (used_here > used || std::isnan(used_here)) {
    used = std::isnan(used_here) ? std::numeric_limits<double>::infinity() : used_here;
    error = error_here;
    allowed = allowed_here;
  }
  if (error_here <= allowed_here && std::isfinite(error_here)) return;
  if (mismatches == 0) first = index;
  ++mismatches;
}

void Tally::add(const Tally& later) {
  if (later.used > used) {
    used = later.used;
    error = later.error;
    allowed = later.allowed;
  }
  if (mismatches == 0) first = later.first;
  mismatches += later.mismatches;
}

Check to_check(const Tally& tally, std::size_t compared, std::string bound) {
  Check check;
  check.max_error = tally.error;
  check.allowed = tally.allowed;
  check.bound = std::move(bound);
  check.compared = compared;
  check.mismatches = tally.mismatches;
  return check;
}

}  // namespace detail
}  // namespace cudalab::lab

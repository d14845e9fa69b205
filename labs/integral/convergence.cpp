// Orders from neighbouring errors, and what can be said of them.
#include "convergence.h"

#include <algorithm>
#include <span>

namespace cudalab::lab::integral {
namespace {

constexpr double kAboveNoise = 4;   // an error this many times its bound of rounding says something
constexpr double kSameOrder = 0.2;  // two orders of convergence are the same

// Those that can be seen, in the order of n.
std::vector<double> orders_of(const std::vector<ErrorAt>& errors) {
  std::vector<double> orders;
  for (std::size_t i = 1; i < errors.size(); ++i)
    if (const auto here = order_between(errors[i - 1], errors[i])) orders.push_back(*here);
  return orders;
}

// Whether the last two orders that can be seen agree.
bool is_steady(std::span<const double> orders) {
  return orders.size() >= 2 && std::fabs(orders.back() - orders[orders.size() - 2]) <= kSameOrder;
}

// As for smooth functions over a whole period: the errors reach rounding while they fall ever faster.
bool falls_ever_faster(std::span<const double> orders, const Rule& rule) {
  return orders.size() >= 2 && orders.back() > rule.order + kSameOrder && std::ranges::is_sorted(orders);
}

bool is_exact(const std::vector<ErrorAt>& errors) {
  return std::ranges::all_of(errors, [](const ErrorAt& at) { return at.error <= kAboveNoise * at.noise; });
}

}  // namespace

std::optional<double> order_between(const ErrorAt& before, const ErrorAt& here) {
  if (here.error <= kAboveNoise * here.noise || before.error <= kAboveNoise * before.noise)
    return std::nullopt;
  return std::log2(before.error / here.error);
}

std::optional<double> last_order(const std::vector<ErrorAt>& errors) {
  const std::vector<double> orders = orders_of(errors);
  return orders.empty() ? std::nullopt : std::optional(orders.back());
}

std::string sentence_on_order(const Rule& rule, const std::vector<ErrorAt>& errors) {
  const std::vector<double> orders = orders_of(errors);
  if (is_exact(errors))
    return fmt::format("{}: exact for this f and this range, but for rounding.", rule.name);
  if (falls_ever_faster(orders, rule))
    return fmt::format(
        "{}: the error falls faster each time that n doubles, by 2^{:.1f} the last time: faster than any "
        "power of n, as for a smooth function over a whole period.",
        rule.name, orders.back());
  if (orders.empty())
    return fmt::format("{}: the errors are too near to rounding errors to show how fast they fall.",
                       rule.name);
  if (!is_steady(orders))
    return fmt::format("{}: the error does not fall steadily, as it does for smooth functions.", rule.name);
  const std::string found =
      fmt::format("{}: when n doubles, the error falls by 2^{:.2f}", rule.name, orders.back());
  if (orders.back() < rule.order - kSameOrder)
    return fmt::format(
        "{}, less than the 2^{} of smooth functions: a derivative of f jumps or has no bound in the range.",
        found, rule.order);
  if (orders.back() > rule.order + kSameOrder)
    return fmt::format(
        "{}, more than the rule's 2^{}: the errors of the strips cancel for this f and this range.", found,
        rule.order);
  return found + ".";
}

}  // namespace cudalab::lab::integral

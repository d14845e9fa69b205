// The integral lab's CPU side: the integrand, the quadrature rules, and the order of convergence of their
// errors.
#include "quadrature.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>

#include "messages/lab_integral.h"

namespace cudalab::lab::integral {
namespace {

constexpr int kRombergLevels = 14;

struct NamedFunction {
  std::string_view name, text, antiderivative;
};
constexpr NamedFunction kNamed[] = {
    {"pi", "4/(1 + x*x)", "4*atan(x)"},  // the integral from 0 to 1 is pi
    {"sine", "sin(x)", "-cos(x)"},
    {"exponential", "exp(x)", "exp(x)"},
    {"bell", "exp(-x*x)", "sqrt(M_PI)/2*erf(x)"},
    {"cubic", "x*x*x", "x*x*x*x/4"},
    {"runge", "1/(1 + 25*x*x)", "atan(5*x)/5"},
    {"circle", "sqrt(1 - x*x)", "(x*sqrt(1 - x*x) + asin(x))/2"},
    {"root", "sqrt(x)", "2*x*sqrt(x)/3"},
    {"kink", "fabs(x - 0.3)", "(x - 0.3)*fabs(x - 0.3)/2"},
};

const NamedFunction* find_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kNamed), std::end(kNamed),
                                  [=](const NamedFunction& f) { return f.name == name; });
  return found == std::end(kNamed) ? nullptr : found;
}

long double value_at(const Expression& f, long double x) {
  return f.evaluate(Expression::Bounded{x, 0}).value;
}

// Romberg's method: trapezoid sums with 1, 2, 4, … strips, with the leading error terms eliminated one after
// the other. The distance of the two results that agree best estimates the accuracy.
Integral extrapolated(const Expression& f, Range range) {
  const long double from = range.from, length = static_cast<long double>(range.to) - from;
  std::vector<long double> row{length / 2 * (value_at(f, from) + value_at(f, from + length))};
  Integral best{row[0], std::numeric_limits<long double>::infinity(), false};
  for (int level = 1; level <= kRombergLevels; ++level) {
    const long double strips = std::exp2(static_cast<long double>(level - 1)), h = length / strips;
    long double middles = 0;
    for (long double i = 0; i < strips; ++i) middles += value_at(f, from + (i + 0.5L) * h);
    std::vector<long double> next{row[0] / 2 + h / 2 * middles};
    for (std::size_t k = 0; k < row.size(); ++k)
      next.push_back(next[k] + (next[k] - row[k]) / (std::exp2(static_cast<long double>(2 * (k + 1))) - 1));
    const long double change = std::fabs(next.back() - row.back());
    if (change < best.uncertainty) best = {next.back(), change, false};
    row = std::move(next);
  }
  return best;
}

}  // namespace

Integrand integrand_of(const std::string& option) {
  if (const NamedFunction* named = find_named(option))
    return {std::string(named->text), {"--f", named->text}, Expression("--f", named->antiderivative)};
  return {option, {"--f", option}, {}};
}

std::string names_of_functions() {
  std::string names;
  for (const NamedFunction& named : kNamed) names += (names.empty() ? "" : ", ") + std::string(named.name);
  return names;
}

namespace {

// Checks and searches ask for the same few integrals hundreds of times.
Integral remembered(const Integrand& integrand, Range range) {
  constexpr std::size_t kMost = 64;
  static std::mutex mutex;
  static std::map<std::tuple<std::string, double, double>, Integral> known;
  const std::tuple key{integrand.text, range.from, range.to};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  const Integral integral = extrapolated(integrand.f, range);
  const std::lock_guard lock(mutex);
  if (known.size() >= kMost) known.clear();
  return known.emplace(key, integral).first->second;
}

}  // namespace

Integral integral_of(const Integrand& integrand, Range range) {
  if (!integrand.antiderivative) return remembered(integrand, range);
  const Expression& antiderivative = *integrand.antiderivative;
  return {value_at(antiderivative, range.to) - value_at(antiderivative, range.from), 0, true};
}

namespace {

constexpr double kAboveNoise = 4;   // errors below this multiple of their rounding bound are treated as noise
constexpr double kSameOrder = 0.2;  // orders of convergence that differ by at most this count as equal

// The orders between consecutive n, without those that rounding noise hides.
std::vector<double> orders_of(const std::vector<ErrorAt>& errors) {
  std::vector<double> orders;
  for (std::size_t i = 1; i < errors.size(); ++i)
    if (const auto here = order_between(errors[i - 1], errors[i])) orders.push_back(*here);
  return orders;
}

// Whether the last two visible orders agree.
bool is_steady(std::span<const double> orders) {
  return orders.size() >= 2 && std::fabs(orders.back() - orders[orders.size() - 2]) <= kSameOrder;
}

// Detects the convergence of smooth periodic functions over a whole period: the errors fall faster and faster
// until only rounding is left.
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

Message sentence_on_order(const Rule& rule, const std::vector<ErrorAt>& errors) {
  const std::vector<double> orders = orders_of(errors);
  if (is_exact(errors)) return msg::order_exact(rule.name);
  if (falls_ever_faster(orders, rule)) return msg::order_ever_faster(rule.name, orders.back());
  if (orders.empty()) return msg::order_unknown(rule.name);
  if (!is_steady(orders)) return msg::order_unsteady(rule.name);
  if (orders.back() < rule.order - kSameOrder)
    return msg::order_too_low(rule.name, orders.back(), rule.order);
  if (orders.back() > rule.order + kSameOrder)
    return msg::order_too_high(rule.name, orders.back(), rule.order);
  return msg::order_as_expected(rule.name, orders.back());
}

namespace {

constexpr std::size_t kCpuChunk = 1024;  // points that a CPU version evaluates at once
constexpr std::uint64_t kReferenceChunk = 4096;

double sum_of_chunk(const Expression& f, const Quadrature& quadrature, std::uint64_t first,
                    std::uint64_t count) {
  std::array<double, kCpuChunk> x{}, y{};
  for (std::uint64_t i = 0; i < count; ++i) x[i] = quadrature.x<double>(first + i);
  f.evaluate({x.data(), count}, {y.data(), count});
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += quadrature.weight(first + i) * y[i];
  return sum;
}

struct PartOfReference {
  AccurateSum sum;
  long double of_f = 0, magnitude = 0;
  std::optional<double> not_finite;  // the first x for which f is not finite

  void add(const Expression& f, const Quadrature& quadrature, std::uint64_t i) {
    const auto x = quadrature.x<long double>(i), from = static_cast<long double>(quadrature.range.from);
    // Roundings of x: two of the step, one of its product with i, one of the sum.
    const long double x_error =
        quadrature.is_end(i) ? 0 : 0x1p-53L * (3 * std::fabs(x - from) + std::fabs(x));
    const auto y = f.evaluate(Expression::Bounded{x, x_error});
    const long double weight = quadrature.weight(i), term = weight * y.value;
    if (!std::isfinite(y.value + y.error) && !not_finite) not_finite = static_cast<double>(x);
    sum.add(static_cast<double>(term));
    sum.add(static_cast<double>(term - static_cast<double>(term)));
    of_f += weight * y.error;
    magnitude += std::fabs(term);
  }
};

Error not_finite(const std::string& text, double x, double value) {
  return usage_error(msg::function_not_finite(
      text, x, std::isnan(value) ? msg::function_undefined() : msg::function_unbounded()));
}

}  // namespace

double integrate_on_cpu(const Expression& f, const Quadrature& quadrature, int threads) {
  const std::uint64_t points = quadrature.points();
  double sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::uint64_t first = 0; first < points; first += kCpuChunk)
    sum += sum_of_chunk(f, quadrature, first, std::min<std::uint64_t>(kCpuChunk, points - first));
  return sum * (quadrature.step<double>() / quadrature.rule->divisor);
}

// Sums parts of a fixed size, so the result does not depend on the number of threads.
Reference reference_of(const Integrand& integrand, const Quadrature& quadrature) {
  const std::uint64_t points = quadrature.points();
  std::vector<PartOfReference> parts((points + kReferenceChunk - 1) / kReferenceChunk);
  for_pieces(
      parts.size(),
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part)
          for (std::uint64_t i = part * kReferenceChunk; i < std::min((part + 1) * kReferenceChunk, points);
               ++i)
            parts[part].add(integrand.f, quadrature, i);
      },
      kReferenceChunk);
  AccurateSum sum;
  long double of_f = 0, magnitude = 0;
  for (const PartOfReference& part : parts) {
    if (part.not_finite) {
      double value = 0;
      integrand.f.evaluate({&*part.not_finite, 1}, {&value, 1});
      throw not_finite(integrand.text, *part.not_finite, value);
    }
    sum.add(part.sum.value());
    of_f += part.of_f;
    magnitude += part.magnitude;
  }
  const long double factor =
      quadrature.step<long double>() / static_cast<long double>(quadrature.rule->divisor);
  return {static_cast<double>(factor * sum.value()), static_cast<double>(factor * of_f),
          static_cast<double>(factor * magnitude)};
}

}  // namespace cudalab::lab::integral

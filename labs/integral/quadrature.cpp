// Sums over the points of a rule: in double on all threads, and exactly with a bound of what rounding does.
#include "quadrature.h"

#include <algorithm>

namespace cudalab::lab::integral {
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
  std::optional<double> not_finite;  // the first x for which f is not

  void add(const Expression& f, const Quadrature& quadrature, std::uint64_t i) {
    const auto x = quadrature.x<long double>(i), from = static_cast<long double>(quadrature.range.from);
    // The step is rounded twice, its product with i once; then x itself.
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
  return usage_error(
      "--f \"{}\": near x = {} the function is {}; choose --from and --to so that this x is not between "
      "them",
      text, x, std::isnan(value) ? "not defined" : "infinite, or changes without bound");
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

// In parts of a fixed size, so that the number of threads changes nothing.
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

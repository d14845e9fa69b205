// Error bounds of computed sums, and reference sums accurate enough to compare with.
#include "lab/verification/bounds.h"

#include <cmath>
#include <cstddef>

#include "vgpu/levels.h"

namespace cudalab::lab {
namespace {

constexpr std::size_t kSums = 8;  // independent sums

// Element i is added to sum i % kSums; total() adds the sums.
struct SumsSideBySide {
  double sum[kSums] = {}, lost[kSums] = {}, magnitude[kSums] = {};

  __attribute__((always_inline)) void add(std::size_t lane, double term, double lost_before) {
    const double after = sum[lane] + term, back = after - sum[lane];
    lost[lane] += (sum[lane] - (after - back)) + (term - back) + lost_before;
    sum[lane] = after;
    magnitude[lane] += std::fabs(term);
  }
  Magnified total() const {
    AccurateSum all, magnitudes;
    for (std::size_t lane = 0; lane < kSums; ++lane) {
      all.add(sum[lane]);
      magnitudes.add(magnitude[lane]);
    }
    for (const double of_lane : lost) all.add(of_lane);
    return {all.value(), magnitudes.value()};
  }
};

template <class T>
constexpr bool has_exact_products = sizeof(T) < sizeof(double);

template <class T>
__attribute__((always_inline)) inline void add_product(SumsSideBySide& lanes, std::size_t lane, T a, T b) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double lost =
      has_exact_products<T> ? 0 : std::fma(static_cast<double>(a), static_cast<double>(b), -product);
  lanes.add(lane, product, lost);
}

template <class T>
__attribute__((always_inline)) inline Magnified dot(std::span<const T> a, std::span<const T> b) {
  SumsSideBySide lanes;
  const std::size_t whole = a.size() / kSums * kSums;
  for (std::size_t i = 0; i < whole; i += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) add_product(lanes, lane, a[i + lane], b[i + lane]);
  for (std::size_t i = whole; i < a.size(); ++i) add_product(lanes, i - whole, a[i], b[i]);
  return lanes.total();
}

template <class T>
__attribute__((always_inline)) inline double squares(std::span<const T> x, double factor) {
  SumsSideBySide lanes;
  const std::size_t whole = x.size() / kSums * kSums;
  const auto add = [&](std::size_t lane, T value) __attribute__((always_inline)) {
    const double scaled = static_cast<double>(value) * factor, square = scaled * scaled;
    lanes.add(lane, square, has_exact_products<T> ? 0 : std::fma(scaled, scaled, -square));
  };
  for (std::size_t i = 0; i < whole; i += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) add(lane, x[i + lane]);
  for (std::size_t i = whole; i < x.size(); ++i) add(i - whole, x[i]);
  return lanes.total().value;
}

}  // namespace

CUDALAB_EACH_LEVEL Magnified accurate_dot(std::span<const float> a, std::span<const float> b) {
  return dot(a, b);
}
CUDALAB_EACH_LEVEL Magnified accurate_dot(std::span<const double> a, std::span<const double> b) {
  return dot(a, b);
}
CUDALAB_EACH_LEVEL double accurate_squares(std::span<const float> x, double factor) {
  return squares(x, factor);
}
CUDALAB_EACH_LEVEL double accurate_squares(std::span<const double> x, double factor) {
  return squares(x, factor);
}

}  // namespace cudalab::lab

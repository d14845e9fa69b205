// Error bounds of computed sums, and reference sums accurate enough to compare with.
// Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM 2002, chapters 3
// and 4.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "lab/verification/verification.h"
#include "messages/lab.h"

namespace cudalab::lab {

// Sums over whole arrays, as accurate as AccurateSum's, by loops that compilers vectorize.

struct Magnified {
  double value = 0;      // the sum, as if computed in twice the precision of double and then rounded
  double magnitude = 0;  // the sum of the terms' magnitudes
};

// The sum of a[i] * b[i], on the calling thread. Products of floats are exact in double. Valid while no
// product overflows and no product of doubles underflows.
Magnified accurate_dot(std::span<const float> a, std::span<const float> b);
Magnified accurate_dot(std::span<const double> a, std::span<const double> b);

// The sum of (x[i] * factor)^2 for a power of two that brings the largest x[i] near 1, so no square that
// matters underflows.
double accurate_squares(std::span<const float> x, double factor);
double accurate_squares(std::span<const double> x, double factor);

// u: half the distance from 1 to the next number. A rounded operation is exact up to a factor 1 + d, |d| <=
// u.
template <class T>
constexpr double unit_roundoff() {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

// gamma_k = k u / (1 - k u): k successive roundings change a value at most by a factor 1 + gamma_k (Higham,
// lemma 3.1).
template <class T>
double gamma(std::uint64_t roundings) {
  const double ku = static_cast<double>(roundings) * unit_roundoff<T>();
  return ku < 1 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

// The maximum number of additions that one term of a sum goes through.
constexpr std::uint64_t additions_one_by_one(std::uint64_t terms) { return terms > 0 ? terms - 1 : 0; }
constexpr std::uint64_t additions_in_a_tree(std::uint64_t terms) {
  std::uint64_t levels = 0;
  for (std::uint64_t reach = 1; reach < terms; reach *= 2) ++levels;
  return levels;
}

// A sum of terms, each of which goes through at most `roundings` rounded operations (its own product
// included), is off by at most gamma_roundings * sum |term|, in any order of addition (Higham, equations 3.5
// and 4.4). A fused multiply-add rounds less, never more. Valid without overflow and underflow.
template <class T>
Allowed sum_bound(std::uint64_t roundings, double sum_of_magnitudes) {
  return {{gamma<T>(roundings) * sum_of_magnitudes},
          msg::bound_sum(roundings, std::numeric_limits<T>::digits, sum_of_magnitudes)};
}

// Adds as if in twice the precision of double (Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J.
// Sci. Comput. 26, 2005): it keeps the rounding error of each product and each sum.
class AccurateSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    const double back = sum - sum_;
    lost_ += (sum_ - (sum - back)) + (term - back);
    sum_ = sum;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    lost_ += std::fma(a, b, -product);
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace cudalab::lab

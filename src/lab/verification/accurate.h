// Sums over whole arrays as exact as AccurateSum's, by loops that the processor's vector units run.
#pragma once

#include <span>

namespace cudalab::lab {

struct Magnified {
  double value = 0;      // of the sum, as if computed in twice the precision of double and then rounded
  double magnitude = 0;  // of its terms, added
};

// The sum of a[i] * b[i]; of float, each product is exact. On the calling thread. Valid while no product
// overflows, and none of doubles underflows.
Magnified accurate_dot(std::span<const float> a, std::span<const float> b);
Magnified accurate_dot(std::span<const double> a, std::span<const double> b);

// The sum of (x[i] * factor)^2 for a power of two: no square is lost where that brings the largest near 1.
double accurate_squares(std::span<const float> x, double factor);
double accurate_squares(std::span<const double> x, double factor);

}  // namespace cudalab::lab

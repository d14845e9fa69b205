// Checks a matrix multiplication C = A * B of any size: small ones element by element, large ones by products
// with random vectors, which take far less time than C itself.
//
// Allowed error: |C[i][j] - exact| <= gamma(inner + 2) * |row i of A| * |column j of B|. A result is a sum of
// `inner` products, added in any order. Each term goes through at most `inner` roundings, that of its product
// included; two more are for the reference and for the lengths. The sum of |a| |b| is at most the product of
// the lengths (Cauchy and Schwarz).
//
// Above kMostExactProducts multiplications (R. Freivalds, "Probabilistic machines can use less running time",
// IFIP Congress 1977, with bounds for rounded numbers):
//   x[j] = s[j] * d[j]: s[j] is a random sign, d[j] the power of two that brings |column j| into [1, 2);
//   y = C x - A (B x), summed as if in twice the precision of double.
//
// If C[i][j] is off by more than allowed, then |y[i]| exceeds gamma * |row i of A| for at least half of all
// sign choices, whatever else is wrong in the row: flipping s[j] moves y[i] by more than twice that.
// Therefore:
// - kTrials vectors miss a row with a wrong element with a probability of at most 2^-kTrials. A single wrong
//   element among correctly rounded ones is detected by every vector.
// - A row whose |y[i]| is larger, or whose bound is as small as the rounding error of the sums, is recomputed
//   exactly, element by element. So no right element is ever reported as wrong, and the number and places of
//   the wrong ones are exact.
//
// Some rows are always computed exactly: an error can then be reported. Valid without overflow and
// underflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/verification/verification.h"

namespace cudalab::lab {

// A is rows x inner, B is inner x columns, C is rows x columns.
struct ProductSize {
  std::size_t rows, inner, columns;
  std::size_t results() const { return rows * columns; }
  double products() const {
    return static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  }
};

template <class T>
class ProductCheck {
 public:
  static constexpr double kMostExactProducts = 0x1p27;  // about one second on one thread
  static constexpr std::size_t kTrials = 32;
  static constexpr std::size_t kSampledRows = 16;

  // A and B must stay unchanged as long as the object lives. `stream`: a stream of random numbers.
  ProductCheck(std::span<const T> a, std::span<const T> b, ProductSize size, std::uint64_t stream,
               double most_exact_products = kMostExactProducts);

  Check check(std::span<const T> found) const;
  // The rows, other than those always computed exactly, that may hold a wrong element.
  std::vector<std::size_t> suspicious_rows(std::span<const T> found) const;
  static double host_bytes(ProductSize size);  // the memory that an object needs

 private:
  double allowed(std::size_t row, std::size_t column) const {
    return gamma_ * row_lengths_[row] * column_lengths_[column];
  }
  void choose_vectors(std::uint64_t stream);
  void project();
  bool is_suspicious(std::span<const T> row_of_c, std::size_t row) const;
  std::vector<double> values_of(std::span<const std::size_t> rows) const;
  detail::Tally compare(std::span<const T> found, std::span<const std::size_t> rows,
                        std::span<const double> exact) const;
  detail::Tally compare_all(std::span<const T> found) const;
  void add_patterns(Check& check, std::span<const T> found, std::size_t first) const;
  Message pattern_of_matrices(std::span<const T> found,
                              const std::function<bool(std::size_t)>& is_wrong) const;
  Message bound() const;

  std::span<const T> a_, b_;
  ProductSize size_;
  bool is_small_;
  double gamma_;
  std::vector<double> row_lengths_, column_lengths_;
  std::vector<std::size_t> exact_rows_;    // all rows of a small product, else a sample
  std::vector<double> reference_;          // the elements of exact_rows_
  std::vector<double> vectors_;            // x: for each group of trials, for each column
  std::vector<std::size_t> zero_columns_;  // zero columns of B: only 0 is right there
  std::vector<double> expected_,
      lost_;  // A (B x) for each row and trial, and its rounding error
};

extern template class ProductCheck<float>;
extern template class ProductCheck<double>;

}  // namespace cudalab::lab

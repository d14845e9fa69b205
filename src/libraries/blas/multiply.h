// Matrix multiplication on the host. All functions of level 3 share this loop over tiles. The tile size is
// fixed, so no result depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "libraries/blas/values.h"

namespace cudalab::blas {

// A column-major matrix.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0, leading = 0;
  T& operator()(std::int64_t row, std::int64_t column) const { return data[row + column * leading]; }
};

// A matrix in the type of the computation, which owns its elements if they had to be converted or transposed.
template <class T>
struct Dense {
  Matrix<const T> view;
  std::shared_ptr<T[]> own = nullptr;
};

template <class T>
struct Filled {
  Matrix<T> matrix;
  std::shared_ptr<T[]> own;
  operator Dense<T>() const { return {{matrix.data, matrix.rows, matrix.columns, matrix.leading}, own}; }
};
template <class T>
Filled<T> fresh(std::int64_t rows, std::int64_t columns) {
  std::shared_ptr<T[]> own(new T[static_cast<std::size_t>(rows * columns)]);
  return {{own.get(), rows, columns, rows}, own};
}

// Calls `element(i, j)` for each element, in an order with good cache locality.
template <class T, class Element>
Dense<T> dense_of(std::int64_t rows, std::int64_t columns, const Element& element) {
  const Filled<T> made = fresh<T>(rows, columns);
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t column = 0; column < columns; column += kBlock)
    for (std::int64_t row = 0; row < rows; row += kBlock)
      for (std::int64_t j = column; j < std::min(columns, column + kBlock); ++j)
        for (std::int64_t i = row; i < std::min(rows, row + kBlock); ++i) made.matrix(i, j) = element(i, j);
  return made;
}

// A rectangle of the product: its first row and column, and its elements.
template <class T>
struct Tile {
  std::int64_t row = 0, column = 0;
  Matrix<const T> elements;
};

// Passes each tile of the product a * b to `take`, on up to `threads` host threads.
template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, unsigned threads,
              const std::function<void(const Tile<T>&)>& take);

}  // namespace cudalab::blas

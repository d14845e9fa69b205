// Matrices and vectors on the host and in device memory, for tests of cuSPARSE.
#pragma once

#include <cusparse.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <type_traits>
#include <vector>

#include "libraries/on_device_testing.h"
#include "libraries/sparse/numbers.h"

namespace cudalab::sparse {

using libraries::OnDevice;
using testing::ElementsAre;
using C = std::complex<float>;

template <class T>
inline constexpr cudaDataType kTypeOf = std::is_same_v<T, float>    ? CUDA_R_32F
                                        : std::is_same_v<T, double> ? CUDA_R_64F
                                        : std::is_same_v<T, C>      ? CUDA_C_32F
                                                                    : CUDA_C_64F;
template <class T>
inline constexpr double kToleranceOf = std::is_same_v<T, float> || std::is_same_v<T, C> ? 1e-5 : 1e-13;
inline constexpr cusparseOperation_t kTestedOperations[] = {
    CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
inline constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (std::is_arithmetic_v<T>)
      value = T(between(random));
    else
      value = T(between(random), between(random));
  }
  return values;
}

// A dense matrix by rows.
template <class T>
struct Matrix {
  int rows, columns;
  std::vector<T> values;
  T& operator()(int i, int j) { return values[i * columns + j]; }
  T operator()(int i, int j) const { return values[i * columns + j]; }
};

template <class T>
Matrix<T> random_matrix(int rows, int columns, unsigned seed) {
  return {rows, columns, random_values<T>(rows * columns, seed)};
}

// About a third of the elements are there; row 1 is empty.
template <class T>
Matrix<T> random_sparse(int rows, int columns, unsigned seed) {
  Matrix<T> matrix = random_matrix<T>(rows, columns, seed);
  std::mt19937 random(seed + 1);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (i == 1 || random() % 3 != 0) matrix(i, j) = T{};
  return matrix;
}

template <class T>
Matrix<T> under(const Matrix<T>& a, cusparseOperation_t operation) {
  if (operation == kPlain) return a;
  Matrix<T> turned{a.columns, a.rows, std::vector<T>(a.values.size())};
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) {
      turned(j, i) = a(i, j);
      if constexpr (!std::is_arithmetic_v<T>)
        if (operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) turned(j, i) = std::conj(a(i, j));
    }
  return turned;
}

template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c{a.rows, b.columns, std::vector<T>(a.rows * b.columns)};
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - wanted[i]), kToleranceOf<T> * (1 + std::abs(wanted[i]))) << "element " << i;
}

// A sparse matrix in device memory, in one of the formats.
template <class T>
class Stored {
 public:
  Stored(const Matrix<T>& matrix, cusparseFormat_t format, int base = 0)
      : Stored(parts_of(matrix, format, base), matrix, format, base) {}
  ~Stored() { EXPECT_EQ(cusparseDestroySpMat(matrix_), CUSPARSE_STATUS_SUCCESS); }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  operator cusparseSpMatDescr_t() const { return matrix_; }
  const OnDevice<int>& outer() const { return outer_; }
  const OnDevice<int>& inner() const { return inner_; }
  const OnDevice<T>& values() const { return values_; }
  int nnz() const { return nnz_; }

 private:
  struct Parts {
    std::vector<int> outer, inner;
    std::vector<T> values;
  };
  static Parts parts_of(const Matrix<T>& matrix, cusparseFormat_t format, int base) {
    Parts parts;
    const Matrix<T> lines =
        under(matrix, format == CUSPARSE_FORMAT_CSC ? CUSPARSE_OPERATION_TRANSPOSE : kPlain);
    const bool has_offsets = format != CUSPARSE_FORMAT_COO;
    for (int i = 0; i < lines.rows; ++i) {
      if (has_offsets) parts.outer.push_back(static_cast<int>(parts.inner.size()) + base);
      for (int j = 0; j < lines.columns; ++j) {
        if (lines(i, j) == T{}) continue;
        if (!has_offsets) parts.outer.push_back(i + base);
        parts.inner.push_back(j + base), parts.values.push_back(lines(i, j));
      }
    }
    if (has_offsets) parts.outer.push_back(static_cast<int>(parts.inner.size()) + base);
    return parts;
  }
  Stored(const Parts& parts, const Matrix<T>& matrix, cusparseFormat_t format, int base)
      : outer_(parts.outer),
        inner_(parts.inner),
        values_(parts.values),
        nnz_(static_cast<int>(parts.inner.size())) {
    const auto index_base = static_cast<cusparseIndexBase_t>(base);
    if (format == CUSPARSE_FORMAT_COO)
      EXPECT_EQ(cusparseCreateCoo(&matrix_, matrix.rows, matrix.columns, nnz_, outer_.as(), inner_.as(),
                                  values_.as(), CUSPARSE_INDEX_32I, index_base, kTypeOf<T>),
                CUSPARSE_STATUS_SUCCESS);
    else
      EXPECT_EQ((format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(
                    &matrix_, matrix.rows, matrix.columns, nnz_, outer_.as(), inner_.as(), values_.as(),
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, index_base, kTypeOf<T>),
                CUSPARSE_STATUS_SUCCESS);
  }

  OnDevice<int> outer_, inner_;
  OnDevice<T> values_;
  int nnz_;
  cusparseSpMatDescr_t matrix_ = nullptr;
};

template <class T>
class StoredVector {
 public:
  explicit StoredVector(const std::vector<T>& values) : values_(values) {
    EXPECT_EQ(cusparseCreateDnVec(&vector_, values.size(), values_.as(), kTypeOf<T>),
              CUSPARSE_STATUS_SUCCESS);
  }
  ~StoredVector() { cusparseDestroyDnVec(vector_); }
  StoredVector(const StoredVector&) = delete;
  StoredVector& operator=(const StoredVector&) = delete;
  operator cusparseDnVecDescr_t() const { return vector_; }
  std::vector<T> read() const { return values_.read(); }

 private:
  OnDevice<T> values_;
  cusparseDnVecDescr_t vector_ = nullptr;
};

// A dense matrix in device memory, with two elements between its lines.
template <class T>
class StoredMatrix {
 public:
  StoredMatrix(const Matrix<T>& matrix, cusparseOrder_t order)
      : matrix_(matrix), order_(order), values_(padded()) {
    EXPECT_EQ(cusparseCreateDnMat(&descriptor_, matrix.rows, matrix.columns, leading(), values_.as(),
                                  kTypeOf<T>, order),
              CUSPARSE_STATUS_SUCCESS);
  }
  ~StoredMatrix() { cusparseDestroyDnMat(descriptor_); }
  StoredMatrix(const StoredMatrix&) = delete;
  StoredMatrix& operator=(const StoredMatrix&) = delete;
  operator cusparseDnMatDescr_t() const { return descriptor_; }
  std::vector<T> read() const {
    const auto memory = values_.read();
    std::vector<T> result;
    for (int i = 0; i < matrix_.rows; ++i)
      for (int j = 0; j < matrix_.columns; ++j) result.push_back(memory[place(i, j)]);
    return result;
  }

 private:
  int leading() const { return (order_ == CUSPARSE_ORDER_ROW ? matrix_.columns : matrix_.rows) + 2; }
  int place(int i, int j) const {
    return order_ == CUSPARSE_ORDER_ROW ? i * leading() + j : i + j * leading();
  }
  std::vector<T> padded() const {
    std::vector<T> memory(leading() * (order_ == CUSPARSE_ORDER_ROW ? matrix_.rows : matrix_.columns));
    for (int i = 0; i < matrix_.rows; ++i)
      for (int j = 0; j < matrix_.columns; ++j) memory[place(i, j)] = matrix_(i, j);
    return memory;
  }

  Matrix<T> matrix_;
  cusparseOrder_t order_;
  OnDevice<T> values_;
  cusparseDnMatDescr_t descriptor_ = nullptr;
};

class Sparse : public ::testing::Test {
 protected:
  Sparse() { EXPECT_EQ(cusparseCreate(&handle), CUSPARSE_STATUS_SUCCESS); }
  ~Sparse() override { EXPECT_EQ(cusparseDestroy(handle), CUSPARSE_STATUS_SUCCESS); }
  cusparseHandle_t handle = nullptr;
};

inline constexpr cusparseFormat_t kTestedFormats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC,
                                                      CUSPARSE_FORMAT_COO};

}  // namespace cudalab::sparse

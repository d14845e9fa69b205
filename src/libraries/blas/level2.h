// Level 2 of cuBLAS: matrices and vectors. All storage schemes (full, band, packed) share the same loops over
// the stored elements of a column.
#pragma once

#include <algorithm>
#include <utility>

#include "libraries/blas/call.h"
#include "libraries/blas/multiply.h"

namespace cudalab::blas {

// The stored elements of a column, in rows first() to last() - 1, by storage scheme:
//
//   full     A[i + j lda]
//   band     A[upper + i - j + j lda], with `lower` diagonals below the main one and `upper` above it
//   packed   the columns of a triangle, one after the other
struct Storage {
  enum Scheme : std::uint8_t { kFull, kBand, kPacked } scheme = kFull;
  std::int64_t rows = 0, columns = 0, leading = 0, lower = 0, upper = 0;

  std::int64_t first(std::int64_t column) const { return std::max<std::int64_t>(0, column - upper); }
  std::int64_t last(std::int64_t column) const { return std::min(rows, column + lower + 1); }
  std::int64_t offset(std::int64_t row, std::int64_t column) const {
    switch (scheme) {
      case kFull: return row + column * leading;
      case kBand: return upper + row - column + column * leading;
      case kPacked: break;
    }
    if (lower == 0) return row + column * (column + 1) / 2;  // the upper triangle
    return row - column + column * (2 * rows - column + 1) / 2;
  }
};

inline Storage full(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return {Storage::kFull, rows, columns, leading, rows, columns};
}
inline Storage band(std::int64_t rows, std::int64_t columns, std::int64_t lower, std::int64_t upper,
                    std::int64_t leading) {
  return {Storage::kBand, rows, columns, leading, lower, upper};
}
// A triangle of a square matrix: `storage` without the diagonals of the other triangle.
inline Storage triangle(Storage storage, cublasFillMode_t uplo) {
  (uplo == CUBLAS_FILL_MODE_LOWER ? storage.upper : storage.lower) = 0;
  return storage;
}
inline Storage packed(std::int64_t n, cublasFillMode_t uplo) {
  return triangle({Storage::kPacked, n, n, 0, n, n}, uplo);
}
inline Storage triangle_of_band(std::int64_t n, std::int64_t k, std::int64_t leading, cublasFillMode_t uplo) {
  return triangle(band(n, n, k, k, leading), uplo);
}

// The matrix argument of a call.
template <class T>
struct StoredMatrix {
  Storage storage;
  std::size_t index = 0;
  T* in(const Reached& reached) const { return reached.at<T>(index); }
};

template <class T>
StoredMatrix<T> stored(Call& call, const char* parameter, const void* address, const Storage& storage,
                       Access access) {
  const bool is_triangle = storage.lower == 0 || storage.upper == 0;
  if (storage.scheme == Storage::kPacked) {
    const std::int64_t count = storage.rows * (storage.rows + 1) / 2;
    return {storage, call.memory(parameter, address, count * sizeof(T), count > 0, 0, access)};
  }
  const bool is_in_part = storage.scheme == Storage::kBand || (is_triangle && storage.rows > 1);
  if (is_in_part)
    access = access == Access::kRead     ? Access::kReadInPart
             : access == Access::kUpdate ? Access::kUpdateInPart
                                         : access;
  const std::int64_t height =
      storage.scheme == Storage::kBand ? storage.lower + storage.upper + 1 : storage.rows;
  return {storage, call.matrix<T>(parameter, address, height, storage.columns, storage.leading, access)};
}

inline bool is_transposed(cublasOperation_t operation) { return operation != CUBLAS_OP_N; }

template <class T>
double operations_of(const Storage& storage) {
  double elements = 0;
  if (storage.scheme == Storage::kBand)
    elements = static_cast<double>(storage.lower + storage.upper + 1) * static_cast<double>(storage.columns);
  else
    elements = static_cast<double>(storage.rows) * static_cast<double>(storage.columns) *
               (storage.lower == 0 || storage.upper == 0 ? 0.5 : 1);
  return kOperationsOf<T> * elements;
}

// y = beta y. If beta is 0, y is only written: its old values may be NaN.
template <class T>
void scale(const Vector<T>& y, std::int64_t count, T beta) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = beta == T{} ? T{} : product(beta, y[i]);
}

inline Access access_with(bool is_overwritten, bool is_unknown) {
  return is_overwritten ? Access::kWrite : is_unknown ? Access::kUpdateInPart : Access::kUpdate;
}
template <class T>
Access access_with(const Factor<T>& beta) {
  return access_with(beta.is(T{}), !beta.value);
}

// y += alpha op(A) x over the stored elements.
template <class T>
void add_product(const Storage& storage, const T* a, cublasOperation_t trans, T alpha, const Vector<T>& x,
                 const Vector<T>& y) {
  for (std::int64_t j = 0; j < storage.columns; ++j) {
    const std::int64_t first = storage.first(j), last = storage.last(j);
    if (first >= last) continue;
    const T* column = a + storage.offset(first, j);
    if (trans == CUBLAS_OP_N) {
      const T by = product(alpha, x[j]);
      for (std::int64_t i = first; i < last; ++i) y[i] += product(column[i - first], by);
    } else {
      Sum<T> sum = 0;
      for (std::int64_t i = first; i < last; ++i) {
        const T element = trans == CUBLAS_OP_C ? conjugate(column[i - first]) : column[i - first];
        sum += product(Sum<T>(element), Sum<T>(x[i]));
      }
      y[j] += product(alpha, T(sum));
    }
  }
}

// ---- y = alpha op(A) x + beta y ------------------------------------------------------------------------

template <class T>
cublasStatus_t general_product(Call& call, const Storage& storage, cublasOperation_t trans, const void* alpha,
                               const void* a, const void* x, std::int64_t incx, const void* beta, void* y,
                               std::int64_t incy) {
  call.increment("incx", incx);
  call.increment("incy", incy);
  const Factor<T> by = call.factor<T>("alpha", alpha), kept = call.factor<T>("beta", beta);
  if (!call.is_valid() || storage.rows == 0 || storage.columns == 0) return call.finish(nullptr);
  const std::int64_t inputs = is_transposed(trans) ? storage.rows : storage.columns;
  const std::int64_t outputs = is_transposed(trans) ? storage.columns : storage.rows;
  const StoredMatrix<T> matrix = stored<T>(call, "A", a, storage, Access::kRead);
  const VectorOf<T> from = call.vector<T>("x", x, inputs, incx, Access::kRead);
  const VectorOf<T> to = call.vector<T>("y", y, outputs, incy, access_with(kept));
  call.costs(LibraryPattern::kMatrixVector, kUnitOf<T>, operations_of<T>(storage));
  return call.finish([=](const Reached& reached) {
    const Vector<T> out = to.in(reached);
    scale(out, outputs, kept.in(reached));
    if (const T factor = by.in(reached); factor != T{})
      add_product<T>(storage, matrix.in(reached), trans, factor, from.in(reached), out);
  });
}

template <class T>
cublasStatus_t gemv(Entry entry, cublasOperation_t trans, std::int64_t m, std::int64_t n, const void* alpha,
                    const void* a, std::int64_t lda, const void* x, std::int64_t incx, const void* beta,
                    void* y, std::int64_t incy) {
  Call call(entry);
  call.operation("trans", trans);
  call.size("m", m);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, m));
  return general_product<T>(call, full(m, n, lda), trans, alpha, a, x, incx, beta, y, incy);
}

template <class T>
cublasStatus_t gbmv(Entry entry, cublasOperation_t trans, std::int64_t m, std::int64_t n, std::int64_t kl,
                    std::int64_t ku, const void* alpha, const void* a, std::int64_t lda, const void* x,
                    std::int64_t incx, const void* beta, void* y, std::int64_t incy) {
  Call call(entry);
  call.operation("trans", trans);
  call.size("m", m);
  call.size("n", n);
  call.size("kl", kl);
  call.size("ku", ku);
  call.at_least("lda", lda, kl + ku + 1);
  return general_product<T>(call, band(m, n, kl, ku, lda), trans, alpha, a, x, incx, beta, y, incy);
}

// A symmetric or Hermitian matrix of which one triangle is stored. The other triangle is the transpose of the
// stored one, without the diagonal.
template <class T>
cublasStatus_t symmetric_product(Call& call, bool is_hermitian, const Storage& storage, const void* alpha,
                                 const void* a, const void* x, std::int64_t incx, const void* beta, void* y,
                                 std::int64_t incy) {
  call.increment("incx", incx);
  call.increment("incy", incy);
  const Factor<T> by = call.factor<T>("alpha", alpha), kept = call.factor<T>("beta", beta);
  const std::int64_t n = storage.rows;
  if (!call.is_valid() || n == 0) return call.finish(nullptr);
  const StoredMatrix<T> matrix = stored<T>(call, "A", a, storage, Access::kRead);
  const VectorOf<T> from = call.vector<T>("x", x, n, incx, Access::kRead);
  const VectorOf<T> to = call.vector<T>("y", y, n, incy, access_with(kept));
  call.costs(LibraryPattern::kMatrixVector, kUnitOf<T>, 2 * operations_of<T>(storage));
  return call.finish([=](const Reached& reached) {
    const Vector<T> in = from.in(reached), out = to.in(reached);
    const T* elements = matrix.in(reached);
    scale(out, n, kept.in(reached));
    const T factor = by.in(reached);
    if (factor == T{}) return;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = storage.first(j); i < storage.last(j); ++i) {
        const T element = elements[storage.offset(i, j)];
        if (i == j) {
          out[i] += product(factor, product(is_hermitian ? T(std::real(element)) : element, in[i]));
          continue;
        }
        out[i] += product(factor, product(element, in[j]));
        out[j] += product(factor, product(is_hermitian ? conjugate(element) : element, in[i]));
      }
  });
}

template <class T>
cublasStatus_t symv(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, const void* alpha,
                    const void* a, std::int64_t lda, const void* x, std::int64_t incx, const void* beta,
                    void* y, std::int64_t incy) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  return symmetric_product<T>(call, is_hermitian, triangle(full(n, n, lda), uplo), alpha, a, x, incx, beta, y,
                              incy);
}
template <class T>
cublasStatus_t sbmv(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, std::int64_t k,
                    const void* alpha, const void* a, std::int64_t lda, const void* x, std::int64_t incx,
                    const void* beta, void* y, std::int64_t incy) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.size("k", k);
  call.at_least("lda", lda, k + 1);
  return symmetric_product<T>(call, is_hermitian, triangle_of_band(n, k, lda, uplo), alpha, a, x, incx, beta,
                              y, incy);
}
template <class T>
cublasStatus_t spmv(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, const void* alpha,
                    const void* a, const void* x, std::int64_t incx, const void* beta, void* y,
                    std::int64_t incy) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  return symmetric_product<T>(call, is_hermitian, packed(n, uplo), alpha, a, x, incx, beta, y, incy);
}

// ---- triangles -----------------------------------------------------------------------------------------

// x = op(A) x.
template <class T>
void multiply_triangle(const Storage& storage, const T* a, cublasOperation_t trans, bool is_unit,
                       const Vector<T>& x) {
  const std::int64_t n = storage.rows;
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = storage.first(j); i < storage.last(j); ++i) {
      T element = i == j && is_unit ? T(1) : a[storage.offset(i, j)];
      if (trans == CUBLAS_OP_C) element = conjugate(element);
      if (is_transposed(trans))
        result[j] += product(element, x[i]);
      else
        result[i] += product(element, x[j]);
    }
  for (std::int64_t i = 0; i < n; ++i) x[i] = result[i];
}

// Solves op(A) x = b, where x initially holds b: by columns, or by rows if A is transposed.
template <class T>
void solve_triangle(const Storage& storage, const T* a, cublasOperation_t trans, bool is_unit,
                    const Vector<T>& x) {
  const std::int64_t n = storage.rows;
  const bool is_lower = storage.upper == 0, is_forward = is_lower != is_transposed(trans);
  const auto element = [&](std::int64_t i, std::int64_t j) {
    const T stored = a[storage.offset(i, j)];
    return trans == CUBLAS_OP_C ? conjugate(stored) : stored;
  };
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t j = is_forward ? step : n - 1 - step;
    T value = x[j];
    if (is_transposed(trans))
      for (std::int64_t i = storage.first(j); i < storage.last(j); ++i)
        if (i != j) value -= product(element(i, j), x[i]);
    if (!is_unit) value /= element(j, j);
    x[j] = value;
    if (!is_transposed(trans))
      for (std::int64_t i = storage.first(j); i < storage.last(j); ++i)
        if (i != j) x[i] -= product(element(i, j), value);
  }
}

template <class T>
cublasStatus_t triangle_call(Call& call, bool is_solved, const Storage& storage, cublasOperation_t trans,
                             cublasDiagType_t diag, const void* a, void* x, std::int64_t incx) {
  call.operation("trans", trans);
  call.diagonal(diag);
  call.increment("incx", incx);
  if (!call.is_valid() || storage.rows == 0) return call.finish(nullptr);
  const StoredMatrix<T> matrix = stored<T>(call, "A", a, storage, Access::kRead);
  const VectorOf<T> vector = call.vector<T>("x", x, storage.rows, incx, Access::kUpdate);
  const auto steps = static_cast<double>(is_solved ? storage.rows : 0);
  call.costs(is_solved ? LibraryPattern::kSolve : LibraryPattern::kMatrixVector, kUnitOf<T>,
             operations_of<T>(storage), 0, steps);
  return call.finish([=](const Reached& reached) {
    (is_solved ? solve_triangle<T> : multiply_triangle<T>)(storage, matrix.in(reached), trans,
                                                           diag == CUBLAS_DIAG_UNIT, vector.in(reached));
  });
}

template <class T>
cublasStatus_t triangle_full(Entry entry, bool is_solved, cublasFillMode_t uplo, cublasOperation_t trans,
                             cublasDiagType_t diag, std::int64_t n, const void* a, std::int64_t lda, void* x,
                             std::int64_t incx) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  return triangle_call<T>(call, is_solved, triangle(full(n, n, lda), uplo), trans, diag, a, x, incx);
}
template <class T>
cublasStatus_t triangle_band(Entry entry, bool is_solved, cublasFillMode_t uplo, cublasOperation_t trans,
                             cublasDiagType_t diag, std::int64_t n, std::int64_t k, const void* a,
                             std::int64_t lda, void* x, std::int64_t incx) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.size("k", k);
  call.at_least("lda", lda, k + 1);
  return triangle_call<T>(call, is_solved, triangle_of_band(n, k, lda, uplo), trans, diag, a, x, incx);
}
template <class T>
cublasStatus_t triangle_packed(Entry entry, bool is_solved, cublasFillMode_t uplo, cublasOperation_t trans,
                               cublasDiagType_t diag, std::int64_t n, const void* a, void* x,
                               std::int64_t incx) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  return triangle_call<T>(call, is_solved, packed(n, uplo), trans, diag, a, x, incx);
}

// ---- updates of rank 1 and 2 ---------------------------------------------------------------------------

template <class T>
cublasStatus_t ger(Entry entry, bool is_conjugate, std::int64_t m, std::int64_t n, const void* alpha,
                   const void* x, std::int64_t incx, const void* y, std::int64_t incy, void* a,
                   std::int64_t lda) {
  Call call(entry);
  call.size("m", m);
  call.size("n", n);
  call.increment("incx", incx);
  call.increment("incy", incy);
  call.at_least("lda", lda, std::max<std::int64_t>(1, m));
  const Factor<T> by = call.factor<T>("alpha", alpha);
  if (!call.is_valid() || m == 0 || n == 0) return call.finish(nullptr);
  const VectorOf<T> left = call.vector<T>("x", x, m, incx, Access::kRead);
  const VectorOf<T> right = call.vector<T>("y", y, n, incy, Access::kRead);
  const StoredMatrix<T> matrix = stored<T>(call, "A", a, full(m, n, lda), Access::kUpdate);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, operations_of<T>(matrix.storage));
  return call.finish([=](const Reached& reached) {
    const Vector<T> from = left.in(reached), across = right.in(reached);
    T* elements = matrix.in(reached);
    for (std::int64_t j = 0; j < n; ++j) {
      const T factor = product(by.in(reached), is_conjugate ? conjugate(across[j]) : across[j]);
      for (std::int64_t i = 0; i < m; ++i) elements[i + j * lda] += product(from[i], factor);
    }
  });
}

// A += alpha x y^T + alpha y x^T; if y is null, A += alpha x x^T. For a Hermitian A, the second vector of
// each term and the second alpha are conjugated, and the diagonal stays real.
template <class T, class S>
cublasStatus_t symmetric_update(Call& call, bool is_hermitian, const Storage& storage, const void* alpha,
                                const void* x, std::int64_t incx, const void* y, std::int64_t incy, void* a) {
  const bool has_y = y != nullptr;
  call.increment("incx", incx);
  if (has_y) call.increment("incy", incy);
  const Factor<S> by = call.factor<S>("alpha", alpha);
  const std::int64_t n = storage.rows;
  if (!call.is_valid() || n == 0) return call.finish(nullptr);
  const VectorOf<T> left = call.vector<T>("x", x, n, incx, Access::kRead);
  const VectorOf<T> right = has_y ? call.vector<T>("y", y, n, incy, Access::kRead) : left;
  const StoredMatrix<T> matrix = stored<T>(call, "A", a, storage, Access::kUpdate);
  call.costs(LibraryPattern::kUpdate, kUnitOf<T>, (has_y ? 2 : 1) * operations_of<T>(storage));
  return call.finish([=](const Reached& reached) {
    const Vector<T> first = left.in(reached), second = right.in(reached);
    const T factor = by.in(reached);
    const auto other = [&](T value) { return is_hermitian ? conjugate(value) : value; };
    T* elements = matrix.in(reached);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = storage.first(j); i < storage.last(j); ++i) {
        T& element = elements[storage.offset(i, j)];
        element += product(factor, product(first[i], other(second[j])));
        if (has_y) element += product(other(factor), product(second[i], other(first[j])));
        if (is_hermitian && i == j) element = std::real(element);
      }
  });
}

// For rank 1, the factor of a Hermitian update is real.
template <class T>
cublasStatus_t update_of_rank_1(Call& call, bool is_hermitian, const Storage& storage, const void* alpha,
                                const void* x, std::int64_t incx, void* a) {
  return is_hermitian ? symmetric_update<T, Real<T>>(call, true, storage, alpha, x, incx, nullptr, 1, a)
                      : symmetric_update<T, T>(call, false, storage, alpha, x, incx, nullptr, 1, a);
}

template <class T>
cublasStatus_t syr(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, const void* alpha,
                   const void* x, std::int64_t incx, void* a, std::int64_t lda) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  return update_of_rank_1<T>(call, is_hermitian, triangle(full(n, n, lda), uplo), alpha, x, incx, a);
}
template <class T>
cublasStatus_t spr(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, const void* alpha,
                   const void* x, std::int64_t incx, void* a) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  return update_of_rank_1<T>(call, is_hermitian, packed(n, uplo), alpha, x, incx, a);
}
template <class T>
cublasStatus_t syr2(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, const void* alpha,
                    const void* x, std::int64_t incx, const void* y, std::int64_t incy, void* a,
                    std::int64_t lda) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.pointer("y", y);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  return symmetric_update<T, T>(call, is_hermitian, triangle(full(n, n, lda), uplo), alpha, x, incx, y, incy,
                                a);
}
template <class T>
cublasStatus_t spr2(Entry entry, bool is_hermitian, cublasFillMode_t uplo, std::int64_t n, const void* alpha,
                    const void* x, std::int64_t incx, const void* y, std::int64_t incy, void* a) {
  Call call(entry);
  call.fill(uplo);
  call.size("n", n);
  call.pointer("y", y);
  return symmetric_update<T, T>(call, is_hermitian, packed(n, uplo), alpha, x, incx, y, incy, a);
}

// ---- batches -------------------------------------------------------------------------------------------

inline void check_gemv_batch(Call& call, cublasOperation_t trans, std::int64_t m, std::int64_t n,
                             std::int64_t lda, std::int64_t incx, std::int64_t incy, std::int64_t batch) {
  call.operation("trans", trans);
  call.size("m", m);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, m));
  call.increment("incx", incx);
  call.increment("incy", incy);
  call.size("batchCount", batch);
}

template <class T>
cublasStatus_t gemv_strided_batched(Entry entry, cublasOperation_t trans, std::int64_t m, std::int64_t n,
                                    const void* alpha, const void* a, std::int64_t lda, std::int64_t stride_a,
                                    const void* x, std::int64_t incx, std::int64_t stride_x, const void* beta,
                                    void* y, std::int64_t incy, std::int64_t stride_y, std::int64_t batch) {
  Call call(entry);
  check_gemv_batch(call, trans, m, n, lda, incx, incy, batch);
  const Factor<T> by = call.factor<T>("alpha", alpha), kept = call.factor<T>("beta", beta);
  if (!call.is_valid() || m == 0 || n == 0 || batch == 0) return call.finish(nullptr);
  const std::int64_t inputs = is_transposed(trans) ? m : n, outputs = is_transposed(trans) ? n : m;
  const auto element = [](const void* first, std::int64_t offset) {
    return static_cast<const T*>(first) + offset;
  };
  struct One {
    StoredMatrix<T> matrix;
    VectorOf<T> from, to;
  };
  std::vector<One> all;
  for (std::int64_t i = 0; i < batch; ++i) {
    One one;
    one.matrix = stored<T>(call, "A", element(a, i * stride_a), full(m, n, lda), Access::kRead);
    one.from = call.vector<T>("x", element(x, i * stride_x), inputs, incx, Access::kRead);
    one.to = call.vector<T>("y", element(y, i * stride_y), outputs, incy, access_with(kept));
    all.push_back(one);
  }
  call.costs(LibraryPattern::kMatrixVector, kUnitOf<T>,
             operations_of<T>(full(m, n, lda)) * static_cast<double>(batch));
  return call.finish([=, all = std::move(all)](const Reached& reached) {
    for (const One& one : all) {
      const Vector<T> out = one.to.in(reached);
      scale(out, outputs, kept.in(reached));
      add_product<T>(one.matrix.storage, one.matrix.in(reached), trans, by.in(reached), one.from.in(reached),
                     out);
    }
  });
}

}  // namespace cudalab::blas

// Batches of small systems of equations: LU and QR factorizations, their solutions and inverses, and
// triangular systems. The matrices of a batch are given as arrays of addresses in device memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "libraries/blas/level1.h"
#include "libraries/blas/level2.h"
#include "libraries/blas/level3.h"

namespace cudalab::blas {

// A parameter with the addresses of a batch's matrices.
template <class T>
struct MatrixArray {
  const char* parameter = "";
  std::size_t index = 0;  // of the addresses, in the call's memory
  std::int64_t rows = 0, columns = 0, leading = 0;
  Access access = Access::kRead;

  Matrix<T> in(const Reached& reached, std::int64_t i) const {
    const void* address = reached.at<const void*>(index)[i];
    std::byte* memory = reached.reach().of(matrix_of<T>(parameter, address, rows, columns, leading, access));
    return {reinterpret_cast<T*>(memory), rows, columns, leading};
  }
  double bytes() const {
    return static_cast<double>(rows) * static_cast<double>(columns) * (access == Access::kUpdate ? 2 : 1) *
           sizeof(T);
  }
};

template <class T>
MatrixArray<T> matrices(Call& call, const char* parameter, const void* addresses, std::int64_t rows,
                        std::int64_t columns, std::int64_t leading, std::int64_t batch, Access access) {
  call.pointer(parameter, addresses);
  return {parameter, call.memory(parameter, addresses, batch * sizeof(void*), 1, 0, Access::kRead),
          rows,      columns,
          leading,   access};
}

// An array of `each` integers per matrix, which the program may leave out.
struct IntegerArray {
  std::size_t index = 0;
  std::int64_t each = 1;
  bool is_given = false;
  int* in(const Reached& reached, std::int64_t i) const {
    return is_given ? reached.at<int>(index) + i * each : nullptr;
  }
};
inline IntegerArray integers(Call& call, const char* parameter, const void* address, std::int64_t each,
                             std::int64_t batch, Access access) {
  if (!address) return {};
  return {call.memory(parameter, address, each * batch * sizeof(int), 1, 0, access), each, true};
}

// The cost of `steps` dependent steps for all matrices at once.
template <class T>
void costs_of_batch(Call& call, std::int64_t batch, double operations, double bytes, std::int64_t steps) {
  const auto count = static_cast<double>(batch);
  call.costs(LibraryPattern::kSolve, kMatrixUnitOf<T>, kOperationsOf<T> * operations * count, bytes * count,
             static_cast<double>(steps));
}

// ---- LU ------------------------------------------------------------------------------------------------

// A = P L U in place, as LAPACK's getf2. Returns the number, counted from 1, of the first column whose pivot
// is 0, or 0. `pivots`: null for a factorization without exchanges of rows.
template <class T>
int factor_lu(const Matrix<T>& a, int* pivots) {
  const std::int64_t n = a.rows;
  int singular = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; pivots && i < n; ++i)
      if (sum_of_magnitudes(a(i, k)) > sum_of_magnitudes(a(pivot, k))) pivot = i;
    if (pivots) pivots[k] = static_cast<int>(pivot) + 1;
    for (std::int64_t j = 0; pivot != k && j < n; ++j) std::swap(a(k, j), a(pivot, j));
    if (a(k, k) == T{}) {
      if (singular == 0) singular = static_cast<int>(k) + 1;
      continue;
    }
    for (std::int64_t i = k + 1; i < n; ++i) a(i, k) /= a(k, k);
    for (std::int64_t j = k + 1; j < n; ++j)
      for (std::int64_t i = k + 1; i < n; ++i) a(i, j) -= product(a(i, k), a(k, j));
  }
  return singular;
}

// Solves op(A) X = B for each column of B, from the factorization of A.
template <class T>
void solve_lu(const Matrix<T>& lu, const int* pivots, cublasOperation_t trans, const Matrix<T>& b) {
  const std::int64_t n = lu.rows;
  const Storage lower = triangle(full(n, n, lu.leading), CUBLAS_FILL_MODE_LOWER),
                upper = triangle(full(n, n, lu.leading), CUBLAS_FILL_MODE_UPPER);
  for (std::int64_t j = 0; j < b.columns; ++j) {
    const Vector<T> x{&b(0, j), 1};
    if (!is_transposed(trans)) {
      for (std::int64_t i = 0; pivots && i < n; ++i) std::swap(x[i], x[pivots[i] - 1]);
      solve_triangle<T>(lower, lu.data, trans, true, x);
      solve_triangle<T>(upper, lu.data, trans, false, x);
    } else {
      solve_triangle<T>(upper, lu.data, trans, false, x);
      solve_triangle<T>(lower, lu.data, trans, true, x);
      for (std::int64_t i = n - 1; pivots && i >= 0; --i) std::swap(x[i], x[pivots[i] - 1]);
    }
  }
}

// Pivots that a program passes are checked before they are used as indices.
inline void check_pivots(const Reached& reached, const int* pivots, std::int64_t n) {
  for (std::int64_t i = 0; pivots && i < n; ++i)
    if (pivots[i] < 1 || pivots[i] > n) reached.reach().wrong_index("devIpiv", i, pivots[i], 1, n + 1);
}

// The inverse, from the factorization. Returns the number of the first column whose pivot is 0, or 0; then
// `inverse` is not written.
template <class T>
int invert_lu(const Matrix<T>& lu, const int* pivots, const Matrix<T>& inverse) {
  for (std::int64_t k = 0; k < lu.rows; ++k)
    if (lu(k, k) == T{}) return static_cast<int>(k) + 1;
  for (std::int64_t j = 0; j < lu.rows; ++j)
    for (std::int64_t i = 0; i < lu.rows; ++i) inverse(i, j) = T(i == j ? 1 : 0);
  solve_lu(lu, pivots, CUBLAS_OP_N, inverse);
  return 0;
}

template <class T>
cublasStatus_t getrf_batched(Entry entry, std::int64_t n, const void* a, std::int64_t lda, int* pivots,
                             int* info, std::int64_t batch) {
  Call call(entry);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  call.size("batchSize", batch);
  call.pointer("info", info);
  if (!call.is_valid() || n == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "Aarray", a, n, n, lda, batch, Access::kUpdate);
  const IntegerArray exchanged = integers(call, "PivotArray", pivots, n, batch, Access::kWrite);
  const IntegerArray singular = integers(call, "infoArray", info, 1, batch, Access::kWrite);
  const auto size = static_cast<double>(n);
  costs_of_batch<T>(call, batch, size * size * size / 3, all.bytes(), n);
  return call.finish([=](const Reached& reached) {
    for (std::int64_t i = 0; i < batch; ++i)
      *singular.in(reached, i) = factor_lu(all.in(reached, i), exchanged.in(reached, i));
  });
}

// `info` is in host memory: whether the call's parameters are right.
template <class T>
cublasStatus_t getrs_batched(Entry entry, cublasOperation_t trans, std::int64_t n, std::int64_t nrhs,
                             const void* a, std::int64_t lda, const int* pivots, const void* b,
                             std::int64_t ldb, int* info, std::int64_t batch) {
  Call call(entry);
  call.operation("trans", trans);
  call.size("n", n);
  call.size("nrhs", nrhs);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  call.at_least("ldb", ldb, std::max<std::int64_t>(1, n));
  call.size("batchSize", batch);
  call.pointer("info", info);
  if (!call.is_valid()) return call.finish(nullptr);
  *info = 0;
  if (n == 0 || nrhs == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "Aarray", a, n, n, lda, batch, Access::kRead);
  const auto right = matrices<T>(call, "Barray", b, n, nrhs, ldb, batch, Access::kUpdate);
  const IntegerArray exchanged = integers(call, "devIpiv", pivots, n, batch, Access::kRead);
  const auto size = static_cast<double>(n);
  costs_of_batch<T>(call, batch, size * size * static_cast<double>(nrhs), all.bytes() + right.bytes(), 2 * n);
  return call.finish([=](const Reached& reached) {
    for (std::int64_t i = 0; i < batch; ++i) {
      const int* rows = exchanged.in(reached, i);
      check_pivots(reached, rows, n);
      solve_lu(all.in(reached, i), rows, trans, right.in(reached, i));
    }
  });
}

template <class T>
cublasStatus_t getri_batched(Entry entry, std::int64_t n, const void* a, std::int64_t lda, const int* pivots,
                             const void* c, std::int64_t ldc, int* info, std::int64_t batch) {
  Call call(entry);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  call.at_least("ldc", ldc, std::max<std::int64_t>(1, n));
  call.size("batchSize", batch);
  call.pointer("info", info);
  if (!call.is_valid() || n == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "Aarray", a, n, n, lda, batch, Access::kRead);
  const auto inverses = matrices<T>(call, "Carray", c, n, n, ldc, batch, Access::kWrite);
  const IntegerArray exchanged = integers(call, "PivotArray", pivots, n, batch, Access::kRead);
  const IntegerArray singular = integers(call, "infoArray", info, 1, batch, Access::kWrite);
  const auto size = static_cast<double>(n);
  costs_of_batch<T>(call, batch, size * size * size * 2 / 3, all.bytes() + inverses.bytes(), 2 * n);
  return call.finish([=](const Reached& reached) {
    for (std::int64_t i = 0; i < batch; ++i) {
      const int* rows = exchanged.in(reached, i);
      check_pivots(reached, rows, n);
      *singular.in(reached, i) = invert_lu(all.in(reached, i), rows, inverses.in(reached, i));
    }
  });
}

// Factorization and inverse in one call, for matrices of at most 32 rows.
template <class T>
cublasStatus_t matinv_batched(Entry entry, std::int64_t n, const void* a, std::int64_t lda, const void* c,
                              std::int64_t ldc, int* info, std::int64_t batch) {
  constexpr std::int64_t kMostRows = 32;
  Call call(entry);
  call.size("n", n);
  call.require(n <= kMostRows, {LibraryFailure::kUnsupported});
  call.at_least("lda", lda, std::max<std::int64_t>(1, n));
  call.at_least("lda_inv", ldc, std::max<std::int64_t>(1, n));
  call.size("batchSize", batch);
  call.pointer("info", info);
  if (!call.is_valid() || n == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "A", a, n, n, lda, batch, Access::kRead);
  const auto inverses = matrices<T>(call, "Ainv", c, n, n, ldc, batch, Access::kWrite);
  const IntegerArray singular = integers(call, "info", info, 1, batch, Access::kWrite);
  const auto size = static_cast<double>(n);
  costs_of_batch<T>(call, batch, size * size * size, all.bytes() + inverses.bytes(), 3 * n);
  return call.finish([=](const Reached& reached) {
    std::vector<int> pivots(n);
    for (std::int64_t i = 0; i < batch; ++i) {
      const Matrix<T> from = all.in(reached, i);
      const Filled<T> lu = fresh<T>(n, n);
      for (std::int64_t column = 0; column < n; ++column)
        for (std::int64_t row = 0; row < n; ++row) lu.matrix(row, column) = from(row, column);
      const int failed = factor_lu(lu.matrix, pivots.data());
      *singular.in(reached, i) =
          failed != 0 ? failed : invert_lu(lu.matrix, pivots.data(), inverses.in(reached, i));
    }
  });
}

// ---- QR ------------------------------------------------------------------------------------------------

// Reflects column k of A, and returns the factor tau of H = I - tau v v^H, as LAPACK's larfg. v begins with a
// 1, which is not stored.
template <class T>
T reflection(const Matrix<T>& a, std::int64_t k) {
  double rest = 0;
  for (std::int64_t i = k + 1; i < a.rows; ++i) rest += std::norm(std::complex<double>(a(i, k)));
  const T alpha = a(k, k);
  if (rest == 0 && std::imag(alpha) == 0) return T{};
  using R = Real<T>;
  const double length = std::sqrt(std::norm(std::complex<double>(alpha)) + rest);
  const R beta = static_cast<R>(std::real(alpha) < 0 ? length : -length);
  for (std::int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= alpha - T(beta);
  a(k, k) = T(beta);
  return (T(beta) - alpha) / T(beta);
}

// Applies H^H = I - conj(tau) v v^H, of column k of A, to columns `begin` and following of C.
template <class T>
void reflect(const Matrix<T>& a, std::int64_t k, T tau, const Matrix<T>& c, std::int64_t begin) {
  for (std::int64_t j = begin; j < c.columns; ++j) {
    T sum = c(k, j);
    for (std::int64_t i = k + 1; i < a.rows; ++i) sum += product(conjugate(a(i, k)), c(i, j));
    sum = product(conjugate(tau), sum);
    c(k, j) -= sum;
    for (std::int64_t i = k + 1; i < a.rows; ++i) c(i, j) -= product(a(i, k), sum);
  }
}

// A = Q R in place: R on and above the diagonal, the vectors v below it.
template <class T>
void factor_qr(const Matrix<T>& a, T* taus) {
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    taus[k] = reflection(a, k);
    reflect(a, k, taus[k], a, k + 1);
  }
}

inline double operations_of_qr(std::int64_t m, std::int64_t n) {
  const auto rows = static_cast<double>(std::max(m, n)), columns = static_cast<double>(std::min(m, n));
  return columns * columns * (rows - columns / 3);
}

// `info` is in host memory: whether the call's parameters are right.
template <class T>
cublasStatus_t geqrf_batched(Entry entry, std::int64_t m, std::int64_t n, const void* a, std::int64_t lda,
                             const void* tau, int* info, std::int64_t batch) {
  Call call(entry);
  call.size("m", m);
  call.size("n", n);
  call.at_least("lda", lda, std::max<std::int64_t>(1, m));
  call.size("batchSize", batch);
  call.pointer("info", info);
  if (!call.is_valid()) return call.finish(nullptr);
  *info = 0;
  if (m == 0 || n == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "Aarray", a, m, n, lda, batch, Access::kUpdate);
  const auto taus =
      matrices<T>(call, "TauArray", tau, std::min(m, n), 1, std::min(m, n), batch, Access::kWrite);
  costs_of_batch<T>(call, batch, operations_of_qr(m, n), all.bytes() + taus.bytes(), 2 * std::min(m, n));
  return call.finish([=](const Reached& reached) {
    for (std::int64_t i = 0; i < batch; ++i) factor_qr(all.in(reached, i), taus.in(reached, i).data);
  });
}

// Least squares with QR. The solutions replace the first n rows of C.
template <class T>
cublasStatus_t gels_batched(Entry entry, cublasOperation_t trans, std::int64_t m, std::int64_t n,
                            std::int64_t nrhs, const void* a, std::int64_t lda, const void* c,
                            std::int64_t ldc, int* info, int* singular, std::int64_t batch) {
  Call call(entry);
  call.operation("trans", trans);
  call.size("m", m);
  call.size("n", n);
  call.size("nrhs", nrhs);
  call.at_least("lda", lda, std::max<std::int64_t>(1, m));
  call.at_least("ldc", ldc, std::max<std::int64_t>(1, m));
  call.size("batchSize", batch);
  call.pointer("info", info);
  call.require(m >= n && trans == CUBLAS_OP_N, {LibraryFailure::kUnsupported}, CUBLAS_STATUS_NOT_SUPPORTED);
  if (!call.is_valid()) return call.finish(nullptr);
  *info = 0;
  if (n == 0 || nrhs == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "Aarray", a, m, n, lda, batch, Access::kUpdate);
  const auto right = matrices<T>(call, "Carray", c, m, nrhs, ldc, batch, Access::kUpdate);
  const IntegerArray failed = integers(call, "devInfoArray", singular, 1, batch, Access::kWrite);
  costs_of_batch<T>(call, batch,
                    operations_of_qr(m, n) +
                        2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(nrhs),
                    all.bytes() + right.bytes(), 3 * n);
  return call.finish([=](const Reached& reached) {
    std::vector<T> taus(n);
    for (std::int64_t i = 0; i < batch; ++i) {
      const Matrix<T> qr = all.in(reached, i), b = right.in(reached, i);
      factor_qr(qr, taus.data());
      int first = 0;
      for (std::int64_t k = n; k-- > 0;)
        if (qr(k, k) == T{}) first = static_cast<int>(k) + 1;
      if (int* place = failed.in(reached, i)) *place = first;
      if (first != 0) continue;
      for (std::int64_t k = 0; k < n; ++k) reflect(qr, k, taus[k], b, 0);
      const Storage upper = triangle(full(n, n, qr.leading), CUBLAS_FILL_MODE_UPPER);
      for (std::int64_t j = 0; j < nrhs; ++j)
        solve_triangle<T>(upper, qr.data, CUBLAS_OP_N, false, {&b(0, j), 1});
    }
  });
}

// ---- triangular systems, and products of matrices and vectors ------------------------------------------

template <class T>
cublasStatus_t trsm_batched(Entry entry, cublasSideMode_t side, cublasFillMode_t uplo,
                            cublasOperation_t trans, cublasDiagType_t diag, std::int64_t m, std::int64_t n,
                            const void* alpha, const void* a, std::int64_t lda, const void* b,
                            std::int64_t ldb, std::int64_t batch) {
  Call call(entry);
  const SidedShape shape{side, uplo, m, n, lda, ldb, ldb};
  shape.check(call);
  call.operation("trans", trans);
  call.diagonal(diag);
  call.size("batchCount", batch);
  const Factor<T> by = call.factor<T>("alpha", alpha);
  if (!call.is_valid() || m == 0 || n == 0 || batch == 0) return call.finish(nullptr);
  const auto all = matrices<T>(call, "A", a, shape.order(), shape.order(), lda, batch, shape.access_of_a());
  const auto right = matrices<T>(call, "B", b, m, n, ldb, batch, Access::kUpdate);
  costs_of_batch<T>(call, batch, shape.multiplications() / 2, all.bytes() / 2 + right.bytes(), shape.order());
  return call.finish([=](const Reached& reached) {
    for (std::int64_t i = 0; i < batch; ++i)
      solve_sided<T>(shape, trans, diag, all.in(reached, i).data, right.in(reached, i).data, by.in(reached),
                     reached.reach().threads());
  });
}

template <class T>
cublasStatus_t gemv_batched(Entry entry, cublasOperation_t trans, std::int64_t m, std::int64_t n,
                            const void* alpha, const void* a, std::int64_t lda, const void* x,
                            std::int64_t incx, const void* beta, const void* y, std::int64_t incy,
                            std::int64_t batch) {
  Call call(entry);
  check_gemv_batch(call, trans, m, n, lda, incx, incy, batch);
  const Factor<T> by = call.factor<T>("alpha", alpha), kept = call.factor<T>("beta", beta);
  if (!call.is_valid() || m == 0 || n == 0 || batch == 0) return call.finish(nullptr);
  const std::int64_t inputs = is_transposed(trans) ? m : n, outputs = is_transposed(trans) ? n : m;
  const Access access = access_with(kept);
  const auto all = matrices<T>(call, "Aarray", a, m, n, lda, batch, Access::kRead);
  const auto from = matrices<T>(call, "xarray", x, inputs, 1, inputs, batch, Access::kRead);
  const auto to = matrices<T>(call, "yarray", y, outputs, 1, outputs, batch, access);
  const auto count = static_cast<double>(batch);
  call.costs(LibraryPattern::kMatrixVector, kUnitOf<T>, operations_of<T>(full(m, n, lda)) * count,
             (all.bytes() + from.bytes() + to.bytes()) * count);
  return call.finish([=](const Reached& reached) {
    const auto vector = [&](const MatrixArray<T>& array, std::int64_t i, std::int64_t increment) {
      const void* address = reached.at<const void*>(array.index)[i];
      std::byte* memory =
          reached.reach().of(vector_of<T>(array.parameter, address, array.rows, increment, array.access));
      return vector_at(reinterpret_cast<T*>(memory), array.rows, increment);
    };
    for (std::int64_t i = 0; i < batch; ++i) {
      const Vector<T> out = vector(to, i, incy);
      scale(out, outputs, kept.in(reached));
      if (const T factor = by.in(reached); factor != T{})
        add_product<T>(full(m, n, lda), all.in(reached, i).data, trans, factor, vector(from, i, incx), out);
    }
  });
}

}  // namespace cudalab::blas

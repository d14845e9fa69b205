// Systems of equations: triangular ones (SpSV, SpSM), tridiagonal ones (gtsv2), and incomplete factorizations
// (csrilu02, csric02), whose factors are solved as triangular systems.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <utility>

#include "libraries/sparse/matrices.h"

// The position of the first pivot that is 0, or -1. Set when the factorization runs.
struct csrilu02Info {
  std::shared_ptr<int> zero_pivot = std::make_shared<int>(-1);
};
struct csric02Info {
  std::shared_ptr<int> zero_pivot = std::make_shared<int>(-1);
};
// Nothing to remember between the analysis and the solution.
struct cusparseSpSVDescr {};
struct cusparseSpSMDescr {};

namespace cudalab::sparse {
namespace {

// ---- triangular systems --------------------------------------------------------------------------------

// Solves with one triangle of a matrix; its other elements are ignored.
template <class W>
class Triangle {
 public:
  Triangle(const SparseOf& matrix, cusparseOperation_t operation, const Reached& reached)
      : rows_(rows_of<W>(matrix, operation, reached)),
        is_lower_((matrix.matrix.fill == CUSPARSE_FILL_MODE_LOWER) ==
                  (operation == CUSPARSE_OPERATION_NON_TRANSPOSE)),
        is_unit_(matrix.matrix.diagonal == CUSPARSE_DIAG_TYPE_UNIT) {}

  // Replaces the right side by the solution.
  void solve(std::vector<W>& x) const {
    for (std::int64_t i = 0; i < rows_.rows; ++i) solve_row(is_lower_ ? i : rows_.rows - 1 - i, x);
  }

 private:
  void solve_row(std::int64_t row, std::vector<W>& x) const {
    W diagonal{};
    for (std::int64_t i = rows_.begin[row]; i < rows_.begin[row + 1]; ++i) {
      const std::int64_t column = rows_.column[i];
      if (column == row)
        diagonal += rows_.value[i];
      else if ((column < row) == is_lower_)
        x[row] -= rows_.value[i] * x[column];
    }
    if (!is_unit_) x[row] /= diagonal;
  }

  Rows<W> rows_;
  bool is_lower_, is_unit_;
};

void check_square(Call& call, cusparseConstSpMatDescr_t a) {
  if (call.is_valid()) call.equal("the columns of matA", a->columns, a->rows);
}

cusparseStatus_t solve_vector(Call& call, cusparseOperation_t operation, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              cusparseConstDnVecDescr_t y, cudaDataType compute) {
  call.operation("opA", operation);
  const SparseOf matrix = sparse_matrix(call, "matA", a, Access::kRead);
  const Factor by = call.factor("alpha", alpha, compute);
  const VectorOf from = call.vector("vecX", x, Access::kRead), to = call.vector("vecY", y, Access::kWrite);
  check_square(call, a);
  if (call.is_valid()) {
    call.equal("the size of vecX", x->size, a->rows);
    call.equal("the size of vecY", y->size, a->rows);
    call.supported(a->type == compute && x->type == compute && y->type == compute);
    call.costs(LibraryPattern::kSolve, compute, 2 * static_cast<double>(a->nnz),
               static_cast<double>(a->rows));
  }
  return call.finish([=](const Reached& reached) {
    with_numbers(compute, [&]<class W>(W) {
      std::vector<W> solution = from.in<W>(reached);
      for (W& value : solution) value *= by.in<W>(reached);
      Triangle<W>(matrix, operation, reached).solve(solution);
      for (std::size_t i = 0; i < solution.size(); ++i) write(reached.at(to.index), compute, i, solution[i]);
    });
  });
}

cusparseStatus_t solve_matrix(Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              cusparseConstDnMatDescr_t c, cudaDataType compute) {
  call.operation("opA", op_a);
  call.operation("opB", op_b);
  const SparseOf matrix = sparse_matrix(call, "matA", a, Access::kRead);
  const Factor by = call.factor("alpha", alpha, compute);
  const MatrixOf from = call.matrix("matB", b, Access::kRead), to = call.matrix("matC", c, Access::kWrite);
  check_square(call, a);
  const bool is_turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  if (call.is_valid()) {
    call.equal("the rows of op(matB)", is_turned ? b->columns : b->rows, a->rows);
    call.equal("the rows of matC", c->rows, a->rows);
    call.equal("the columns of matC", c->columns, is_turned ? b->rows : b->columns);
    call.supported(a->type == compute && b->type == compute && c->type == compute);
    call.costs(LibraryPattern::kSolve, compute,
               2 * static_cast<double>(a->nnz) * static_cast<double>(c->columns),
               static_cast<double>(a->rows));
  }
  return call.finish([=](const Reached& reached) {
    with_numbers(compute, [&]<class W>(W) {
      const Triangle<W> triangle(matrix, op_a, reached);
      const std::vector<W> right = from.in<W>(reached);
      std::vector<W> solution(to.matrix.rows);
      for (std::int64_t column = 0; column < to.matrix.columns; ++column) {
        for (std::int64_t row = 0; row < to.matrix.rows; ++row) {
          const W value = right[is_turned ? from.place(column, row) : from.place(row, column)];
          solution[row] =
              by.in<W>(reached) * (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(value) : value);
        }
        triangle.solve(solution);
        for (std::int64_t row = 0; row < to.matrix.rows; ++row)
          write(reached.at(to.index), compute, to.place(row, column), solution[row]);
      }
    });
  });
}

// ---- tridiagonal systems -------------------------------------------------------------------------------

// The three diagonals, all of length m: the first element of the lower one and the last of the upper one are
// not used.
template <class W>
struct Tridiagonal {
  std::vector<W> lower, middle, upper;

  // Solves with exchanges of neighbouring rows, as LAPACK's gtsv. A second upper diagonal arises.
  void solve(std::vector<W>& x) const {
    const std::size_t count = x.size();
    std::vector<W> d = middle, u = upper, second(count);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      W below = lower[i + 1];
      if (std::abs(below) > std::abs(d[i])) {
        std::swap(d[i], below), std::swap(u[i], d[i + 1]), std::swap(x[i], x[i + 1]);
        if (i + 2 < count) second[i] = u[i + 1], u[i + 1] = W{};
      }
      const W factor = below / d[i];
      d[i + 1] -= factor * u[i];
      if (i + 2 < count) u[i + 1] -= factor * second[i];
      x[i + 1] -= factor * x[i];
    }
    for (std::size_t i = count; i-- > 0;) {
      if (i + 1 < count) x[i] -= u[i] * x[i + 1];
      if (i + 2 < count) x[i] -= second[i] * x[i + 2];
      x[i] /= d[i];
    }
  }
};

// Systems of m equations: `count` right sides, `stride` elements from one to the next. With `is_batch`, each
// has a matrix of its own at the same distance.
struct Systems {
  int m, count, stride;
  bool is_batch;
};

// Systems with two diagonals on each side of the main one.
template <class W>
struct Pentadiagonal {
  static constexpr std::size_t kWidth = 5;
  std::vector<W> diagonals[kWidth];  // from the lowest; row i has the elements at i

  // Gaussian elimination with exchanges of rows. When step k begins, rows k to k + 2 begin at column k.
  void solve(std::vector<W>& x) const {
    const std::size_t count = x.size();
    std::vector<std::array<W, kWidth>> rows(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t left_out = i < 2 ? 2 - i : 0;
      for (std::size_t j = left_out; j < kWidth; ++j)
        if (i + j - 2 < count) rows[i][j - left_out] = diagonals[j][i];
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t end = std::min(count, k + 3);
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < end; ++i)
        if (std::abs(rows[i][0]) > std::abs(rows[pivot][0])) pivot = i;
      std::swap(rows[k], rows[pivot]), std::swap(x[k], x[pivot]);
      for (std::size_t i = k + 1; i < end; ++i) {
        const W factor = rows[i][0] / rows[k][0];
        for (std::size_t j = 1; j < kWidth; ++j) rows[i][j - 1] = rows[i][j] - factor * rows[k][j];
        rows[i][kWidth - 1] = W{};
        x[i] -= factor * x[k];
      }
    }
    for (std::size_t i = count; i-- > 0;) {
      for (std::size_t j = 1; j < kWidth && i + j < count; ++j) x[i] -= rows[i][j] * x[i + j];
      x[i] /= rows[i][0];
    }
  }
};

template <class T>
inline constexpr cudaDataType kTypeOf = std::is_same_v<T, float>       ? CUDA_R_32F
                                        : std::is_same_v<T, double>    ? CUDA_R_64F
                                        : std::is_same_v<T, cuComplex> ? CUDA_C_32F
                                                                       : CUDA_C_64F;

// Element i of system b is at i * batch + b. The diagonals, which cuSPARSE overwrites, keep their values.
template <class T>
cusparseStatus_t solve_pentadiagonal(Call& call, int algo, int m, const T* ds, const T* dl, const T* d,
                                     const T* du, const T* dw, T* x, int batch) {
  call.require(algo == 0, {LibraryFailure::kUnknown, "algo", algo});
  call.size("m", m);
  call.size("batchCount", batch);
  if (!call.is_valid() || m == 0 || batch == 0) return call.finish(nullptr);
  const T* const diagonals[] = {ds, dl, d, du, dw};
  constexpr const char* kNames[] = {"ds", "dl", "d", "du", "dw"};
  const std::int64_t all = std::int64_t{m} * batch;
  for (int i = 0; i < 5; ++i) call.memory(kNames[i], diagonals[i], all * sizeof(T), Access::kRead);
  call.memory("x", x, all * sizeof(T), Access::kUpdate);
  call.costs(LibraryPattern::kSolve, kTypeOf<T>, 30.0 * m * batch, m);
  return call.finish([=](const Reached& reached) {
    with_numbers(kTypeOf<T>, [&]<class W>(W) {
      for (int b = 0; b < batch; ++b) {
        const auto part = [&](std::size_t index) {
          std::vector<W> values;
          for (std::int64_t i = 0; i < m; ++i)
            values.push_back(read<W>(reached.at(index) + (i * batch + b) * sizeof(T), kTypeOf<T>, 1)[0]);
          return values;
        };
        std::vector<W> result = part(5);
        Pentadiagonal<W>{{part(0), part(1), part(2), part(3), part(4)}}.solve(result);
        for (std::int64_t i = 0; i < m; ++i) write(reached.at(5), kTypeOf<T>, i * batch + b, result[i]);
      }
    });
  });
}

template <class T>
cusparseStatus_t solve_tridiagonal(Call& call, const Systems& systems, const T* dl, const T* d, const T* du,
                                   T* b) {
  constexpr cudaDataType kType = kTypeOf<T>;
  const auto [m, count, stride, is_batch] = systems;
  call.require(m >= 3, {LibraryFailure::kBelow, "m", m, 3});
  call.size(is_batch ? "batchCount" : "n", count);
  call.require(stride >= m, {LibraryFailure::kBelow, is_batch ? "batchStride" : "ldb", stride, m});
  if (!call.is_valid() || count == 0) return call.finish(nullptr);
  const T* diagonals[] = {dl, d, du};
  constexpr const char* kNames[] = {"dl", "d", "du"};
  const std::size_t row_bytes = m * sizeof(T), pitch = stride * sizeof(T), rows = count;
  for (int i = 0; i < 3; ++i)
    call.memory(kNames[i], diagonals[i], row_bytes, Access::kRead, is_batch ? rows : 1, pitch);
  call.memory(is_batch ? "x" : "B", b, row_bytes, Access::kUpdate, rows, pitch);
  call.costs(LibraryPattern::kSolve, kType, 8.0 * m * count, std::log2(m));
  return call.finish([=, m = m, count = count, stride = stride, is_batch = is_batch](const Reached& reached) {
    with_numbers(kType, [&]<class W>(W) {
      for (int i = 0; i < count; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * stride * sizeof(T);
        const auto part = [&](std::size_t index, bool moves) {
          return read<W>(reached.at(index) + (moves ? at : 0), kType, m);
        };
        auto x = part(3, true);
        Tridiagonal<W>{part(0, is_batch), part(1, is_batch), part(2, is_batch)}.solve(x);
        for (int j = 0; j < m; ++j) write(reached.at(3) + at, kType, j, x[j]);
      }
    });
  });
}

// ---- incomplete factorizations -------------------------------------------------------------------------

// The elements of a matrix in CSR with ascending columns, by their places.
template <class W>
struct Pattern {
  const Rows<W>& rows;
  // The place of an element, or -1.
  std::int64_t find(std::int64_t row, std::int64_t column) const {
    const auto first = rows.column.begin() + rows.begin[row],
               last = rows.column.begin() + rows.begin[row + 1];
    const auto found = std::lower_bound(first, last, column);
    return found != last && *found == column ? found - rows.column.begin() : -1;
  }
};

// A becomes L and U of an incomplete LU factorization without fill-in. Returns the first row whose pivot is
// 0, or -1. (Y. Saad, "Iterative Methods for Sparse Linear Systems", algorithm 10.4)
template <class W>
int factor_lu(Rows<W>& a) {
  int zero_pivot = -1;
  const Pattern<W> pattern{a};
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t i = a.begin[row]; i < a.begin[row + 1] && a.column[i] < row; ++i) {
      const std::int64_t above = a.column[i], pivot = pattern.find(above, above);
      if (pivot < 0) continue;
      a.value[i] /= a.value[pivot];
      for (std::int64_t j = pivot + 1; j < a.begin[above + 1]; ++j)
        if (const std::int64_t place = pattern.find(row, a.column[j]); place >= 0)
          a.value[place] -= a.value[i] * a.value[j];
    }
    const std::int64_t diagonal = pattern.find(row, row);
    if (zero_pivot < 0 && (diagonal < 0 || a.value[diagonal] == W{})) zero_pivot = static_cast<int>(row);
  }
  return zero_pivot;
}

// The lower triangle of A becomes L of an incomplete Cholesky factorization without fill-in; the upper one
// stays.
template <class W>
int factor_cholesky(Rows<W>& a) {
  int zero_pivot = -1;
  const Pattern<W> pattern{a};
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::int64_t i = a.begin[row]; i < a.begin[row + 1] && a.column[i] <= row; ++i) {
      const std::int64_t column = a.column[i];
      W sum = a.value[i];
      for (std::int64_t j = a.begin[row]; a.column[j] < column; ++j)
        if (const std::int64_t place = pattern.find(column, a.column[j]); place >= 0)
          sum -= a.value[j] * conjugate(a.value[place]);
      const std::int64_t pivot = pattern.find(column, column);
      if (column == row) {
        if (zero_pivot < 0 && !(std::real(sum) > 0)) zero_pivot = static_cast<int>(row);
        a.value[i] = std::sqrt(sum);
      } else if (pivot >= 0) {
        a.value[i] = sum / a.value[pivot];
      }
    }
  return zero_pivot;
}

template <class Factorize>
cusparseStatus_t factorize(Call& call, int m, int nnz, cusparseMatDescr_t descriptor, const void* values,
                           const int* rows, const int* columns, cudaDataType type,
                           const std::shared_ptr<int>* zero_pivot, const Factorize& compute) {
  static constexpr const char* kNames[] = {"csrSortedRowPtrA", "csrSortedColIndA", "csrSortedValA"};
  call.size("m", m);
  call.size("nnz", nnz);
  call.pointer("descrA", descriptor);
  call.pointer("info", zero_pivot);
  if (!call.is_valid()) return call.finish(nullptr);
  const cusparseSpMatDescr matrix{
      CUSPARSE_FORMAT_CSR, m,   m, nnz, rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
      descriptor->base,    type};
  const SparseOf a = sparse_matrix(call, matrix, kNames, Access::kUpdate);
  call.costs(LibraryPattern::kSolve, type, 2.0 * nnz, m);
  return call.finish([=, pivot = *zero_pivot](const Reached& reached) {
    with_numbers(type, [&]<class W>(W) {
      auto factors = rows_of<W>(a, CUSPARSE_OPERATION_NON_TRANSPOSE, reached);
      const int zero = compute(factors);
      *pivot = zero < 0 ? -1 : zero + matrix.base;
      for (std::size_t i = 0; i < factors.value.size(); ++i)
        write(reached.at(a.values), type, i, factors.value[i]);
    });
  });
}

// Waits for the factorization, then tells its first pivot that is 0.
cusparseStatus_t tell_zero_pivot(Call& call, const std::shared_ptr<int>* zero_pivot, int* position) {
  call.pointer("info", zero_pivot);
  call.pointer("position", position);
  if (!call.is_valid()) return call.finish(nullptr);
  const bool is_on_device = call.has_factors_on_device();
  const std::size_t place = is_on_device ? call.memory("position", position, sizeof(int), Access::kWrite) : 0;
  const cusparseStatus_t status = call.finish(
      [=, pivot = *zero_pivot](const Reached& reached) {
        *(is_on_device ? reached.of<int>(place) : position) = *pivot;
      },
      true);
  return status == CUSPARSE_STATUS_SUCCESS && **zero_pivot >= 0 ? CUSPARSE_STATUS_ZERO_PIVOT : status;
}

}  // namespace
}  // namespace cudalab::sparse

using namespace cudalab::sparse;

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descriptor) {
  *descriptor = new cusparseSpSVDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* descriptor) {
  *descriptor = new cusparseSpSMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

#define SPARSE_SV_PARAMETERS                                                                                \
  cusparseHandle_t handle, [[maybe_unused]] cusparseOperation_t opA, [[maybe_unused]] const void *alpha,    \
      [[maybe_unused]] cusparseConstSpMatDescr_t matA, [[maybe_unused]] cusparseConstDnVecDescr_t vecX,     \
      [[maybe_unused]] cusparseDnVecDescr_t vecY, [[maybe_unused]] cudaDataType compute, cusparseSpSVAlg_t, \
      cusparseSpSVDescr_t
cusparseStatus_t cusparseSpSV_bufferSize(SPARSE_SV_PARAMETERS, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpSV_analysis(SPARSE_SV_PARAMETERS, void*) {
  Call call(__func__, handle);
  return call.finish(nullptr);
}
cusparseStatus_t cusparseSpSV_solve(SPARSE_SV_PARAMETERS) {
  Call call(__func__, handle);
  return solve_vector(call, opA, alpha, matA, vecX, vecY, compute);
}

#define SPARSE_SM_PARAMETERS                                                                                \
  cusparseHandle_t handle, [[maybe_unused]] cusparseOperation_t opA,                                        \
      [[maybe_unused]] cusparseOperation_t opB, [[maybe_unused]] const void *alpha,                         \
      [[maybe_unused]] cusparseConstSpMatDescr_t matA, [[maybe_unused]] cusparseConstDnMatDescr_t matB,     \
      [[maybe_unused]] cusparseDnMatDescr_t matC, [[maybe_unused]] cudaDataType compute, cusparseSpSMAlg_t, \
      cusparseSpSMDescr_t
cusparseStatus_t cusparseSpSM_bufferSize(SPARSE_SM_PARAMETERS, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpSM_analysis(SPARSE_SM_PARAMETERS, void*) {
  Call call(__func__, handle);
  return call.finish(nullptr);
}
cusparseStatus_t cusparseSpSM_solve(SPARSE_SM_PARAMETERS) {
  Call call(__func__, handle);
  return solve_matrix(call, opA, opB, alpha, matA, matB, matC, compute);
}

// gtsv2_nopivot exchanges rows, too, so it is at least as precise as on a GPU.
#define SPARSE_TRIDIAGONAL(L, T)                                                                           \
  cusparseStatus_t cusparse##L##gtsv2_bufferSizeExt(cusparseHandle_t handle, int, int, const T*, const T*, \
                                                    const T*, const T*, int, size_t* size) {               \
    Call call(__func__, handle);                                                                           \
    return answer_buffer_size(call, size);                                                                 \
  }                                                                                                        \
  cusparseStatus_t cusparse##L##gtsv2(cusparseHandle_t handle, int m, int n, const T* dl, const T* d,      \
                                      const T* du, T* b, int ldb, void*) {                                 \
    Call call(__func__, handle);                                                                           \
    return solve_tridiagonal(call, {m, n, ldb, false}, dl, d, du, b);                                      \
  }                                                                                                        \
  cusparseStatus_t cusparse##L##gtsv2_nopivot_bufferSizeExt(                                               \
      cusparseHandle_t handle, int, int, const T*, const T*, const T*, const T*, int, size_t* size) {      \
    Call call(__func__, handle);                                                                           \
    return answer_buffer_size(call, size);                                                                 \
  }                                                                                                        \
  cusparseStatus_t cusparse##L##gtsv2_nopivot(cusparseHandle_t handle, int m, int n, const T* dl,          \
                                              const T* d, const T* du, T* b, int ldb, void*) {             \
    Call call(__func__, handle);                                                                           \
    return solve_tridiagonal(call, {m, n, ldb, false}, dl, d, du, b);                                      \
  }                                                                                                        \
  cusparseStatus_t cusparse##L##gtsv2StridedBatch_bufferSizeExt(                                           \
      cusparseHandle_t handle, int, const T*, const T*, const T*, const T*, int, int, size_t* size) {      \
    Call call(__func__, handle);                                                                           \
    return answer_buffer_size(call, size);                                                                 \
  }                                                                                                        \
  cusparseStatus_t cusparse##L##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T* dl, const T* d, \
                                                  const T* du, T* x, int batchCount, int batchStride,      \
                                                  void*) {                                                 \
    Call call(__func__, handle);                                                                           \
    return solve_tridiagonal(call, {m, batchCount, batchStride, true}, dl, d, du, x);                      \
  }

#define SPARSE_PENTADIAGONAL(L, T)                                                                           \
  cusparseStatus_t cusparse##L##gpsvInterleavedBatch_bufferSizeExt(cusparseHandle_t handle, int, int,        \
                                                                   const T*, const T*, const T*, const T*,   \
                                                                   const T*, const T*, int, size_t* size) {  \
    Call call(__func__, handle);                                                                             \
    return answer_buffer_size(call, size);                                                                   \
  }                                                                                                          \
  cusparseStatus_t cusparse##L##gpsvInterleavedBatch(cusparseHandle_t handle, int algo, int m, T* ds, T* dl, \
                                                     T* d, T* du, T* dw, T* x, int batchCount, void*) {      \
    Call call(__func__, handle);                                                                             \
    return solve_pentadiagonal<T>(call, algo, m, ds, dl, d, du, dw, x, batchCount);                          \
  }
SPARSE_PENTADIAGONAL(S, float)
SPARSE_PENTADIAGONAL(D, double)
SPARSE_PENTADIAGONAL(C, cuComplex)
SPARSE_PENTADIAGONAL(Z, cuDoubleComplex)

#define SPARSE_FACTORIZATION(L, T, TYPE, name, compute)                                                      \
  cusparseStatus_t cusparse##L##name##_bufferSize(cusparseHandle_t handle, int, int,                         \
                                                  const cusparseMatDescr_t, T*, const int*, const int*,      \
                                                  name##Info_t, int* size) {                                 \
    Call call(__func__, handle);                                                                             \
    return answer_buffer_size(call, size);                                                                   \
  }                                                                                                          \
  cusparseStatus_t cusparse##L##name##_analysis(cusparseHandle_t handle, int, int, const cusparseMatDescr_t, \
                                                const T*, const int*, const int*, name##Info_t,              \
                                                cusparseSolvePolicy_t, void*) {                              \
    Call call(__func__, handle);                                                                             \
    return call.finish(nullptr);                                                                             \
  }                                                                                                          \
  cusparseStatus_t cusparse##L##name(cusparseHandle_t handle, int m, int nnz,                                \
                                     const cusparseMatDescr_t descrA, T* values, const int* rows,            \
                                     const int* columns, name##Info_t info, cusparseSolvePolicy_t, void*) {  \
    Call call(__func__, handle);                                                                             \
    return factorize(call, m, nnz, descrA, values, rows, columns, TYPE, info ? &info->zero_pivot : nullptr,  \
                     [](auto& matrix) { return compute(matrix); });                                          \
  }

#define SPARSE_SOLVERS(L, T, TYPE)                      \
  SPARSE_TRIDIAGONAL(L, T)                              \
  SPARSE_FACTORIZATION(L, T, TYPE, csrilu02, factor_lu) \
  SPARSE_FACTORIZATION(L, T, TYPE, csric02, factor_cholesky)
SPARSE_SOLVERS(S, float, CUDA_R_32F)
SPARSE_SOLVERS(D, double, CUDA_R_64F)
SPARSE_SOLVERS(C, cuComplex, CUDA_C_32F)
SPARSE_SOLVERS(Z, cuDoubleComplex, CUDA_C_64F)

#define SPARSE_FACTORIZATION_INFO(Name, name)                                                               \
  cusparseStatus_t cusparseCreate##Name##Info(name##Info_t* info) {                                         \
    *info = new name##Info;                                                                                 \
    return CUSPARSE_STATUS_SUCCESS;                                                                         \
  }                                                                                                         \
  cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info) {                                         \
    delete info;                                                                                            \
    return CUSPARSE_STATUS_SUCCESS;                                                                         \
  }                                                                                                         \
  cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info, int* position) { \
    Call call(__func__, handle);                                                                            \
    return tell_zero_pivot(call, info ? &info->zero_pivot : nullptr, position);                             \
  }
SPARSE_FACTORIZATION_INFO(Csrilu02, csrilu02)
SPARSE_FACTORIZATION_INFO(Csric02, csric02)

}  // extern "C"
#pragma GCC visibility pop

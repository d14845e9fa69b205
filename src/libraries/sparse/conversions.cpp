// Conversions between sparse formats and dense matrices, and the order of elements.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "libraries/sparse/matrices.h"

namespace cudalab::sparse {
namespace {

// ---- dense matrices ------------------------------------------------------------------------------------

void check_sizes(Call& call, cusparseConstSpMatDescr_t sparse, cusparseConstDnMatDescr_t dense) {
  call.pointer("the sparse matrix", sparse);
  call.pointer("the dense matrix", dense);
  if (!call.is_valid()) return;
  call.equal("the rows of matB", dense->rows, sparse->rows);
  call.equal("the columns of matB", dense->columns, sparse->columns);
  call.supported(dense->type == sparse->type);
  call.costs(LibraryPattern::kUpdate, dense->type, 0);
}

cusparseStatus_t to_dense(Call& call, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b) {
  check_sizes(call, a, b);
  const SparseOf from = sparse_matrix(call, "matA", a, Access::kRead);
  const MatrixOf to = call.matrix("matB", b, Access::kWrite);
  return call.finish([=](const Reached& reached) {
    const std::size_t bytes = bytes_of(to.matrix.type);
    const Places places = places_of(from, reached);
    for (std::int64_t row = 0; row < to.matrix.rows; ++row)
      for (std::int64_t column = 0; column < to.matrix.columns; ++column)
        std::memset(reached.at(to.index) + to.place(row, column) * bytes, 0, bytes);
    for (std::size_t i = 0; i < places.row.size(); ++i)
      std::copy_n(reached.at(from.values) + places.position(i) * bytes, bytes,
                  reached.at(to.index) + to.place(places.row[i], places.column[i]) * bytes);
  });
}

// The places of a dense matrix's elements that are not 0, in the order in which the format stores them.
Places nonzeros(const MatrixOf& dense, cusparseFormat_t format, const Reached& reached) {
  const auto numbers = dense.in<Complex>(reached);
  const bool is_by_columns = format == CUSPARSE_FORMAT_CSC;
  const std::int64_t outer = is_by_columns ? dense.matrix.columns : dense.matrix.rows,
                     inner = is_by_columns ? dense.matrix.rows : dense.matrix.columns;
  Places places;
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t j = 0; j < inner; ++j) {
      const auto [row, column] = is_by_columns ? std::pair{j, i} : std::pair{i, j};
      if (numbers[dense.place(row, column)] != Complex{})
        places.row.push_back(row), places.column.push_back(column);
    }
  return places;
}

// Whether the program states the elements, and only their values are copied.
bool has_given_elements(cusparseConstSpMatDescr_t matrix) {
  return matrix && matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL;
}

cusparseStatus_t fill_elements(Call& call, cusparseConstDnMatDescr_t a, cusparseConstSpMatDescr_t b) {
  const MatrixOf from = call.matrix("matA", a, Access::kRead);
  const SparseOf to = sparse_matrix(call, "matB", b, Access::kUpdate);
  return call.finish([=](const Reached& reached) {
    const std::size_t bytes = bytes_of(to.matrix.type);
    const Places places = places_of(to, reached);
    for (std::size_t i = 0; i < places.row.size(); ++i)
      std::copy_n(reached.at(from.index) + from.place(places.row[i], places.column[i]) * bytes, bytes,
                  reached.at(to.values) + places.position(i) * bytes);
  });
}

// The program learns the number of elements when the call returns.
cusparseStatus_t count_nonzeros(Call& call, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b) {
  check_sizes(call, b, a);
  if (has_given_elements(b)) return call.finish(nullptr);
  const MatrixOf from = call.matrix("matA", a, Access::kRead);
  return call.finish(
      [=](const Reached& reached) {
        b->nnz = static_cast<std::int64_t>(nonzeros(from, b->format, reached).row.size());
      },
      true);
}

void write_offsets(std::byte* memory, cusparseIndexType_t type, std::int64_t base,
                   const std::vector<std::int64_t>& numbers, std::int64_t count) {
  std::vector<std::int64_t> begin;
  order_by(numbers, count, begin);
  for (std::size_t i = 0; i < begin.size(); ++i) write_index(memory, type, i, begin[i] + base);
}

cusparseStatus_t to_sparse(Call& call, cusparseConstDnMatDescr_t a, cusparseConstSpMatDescr_t b) {
  check_sizes(call, b, a);
  if (has_given_elements(b)) return fill_elements(call, a, b);
  const MatrixOf from = call.matrix("matA", a, Access::kRead);
  if (!call.is_valid()) return call.finish(nullptr);
  const cusparseSpMatDescr to = *b;
  const bool is_by_columns = to.format == CUSPARSE_FORMAT_CSC, has_offsets = to.format != CUSPARSE_FORMAT_COO;
  const std::int64_t outer_count = is_by_columns ? to.columns : to.rows;
  const std::size_t bytes = bytes_of(to.type);
  const std::size_t outer =
      call.memory("the offsets or rows of matB", to.outer,
                  (has_offsets ? outer_count + 1 : to.nnz) * bytes_of(to.outer_type), Access::kWrite);
  const std::size_t inner =
      call.memory("the indices of matB", to.inner, to.nnz * bytes_of(to.inner_type), Access::kWrite);
  const std::size_t values = call.memory("the values of matB", to.values, to.nnz * bytes, Access::kWrite);
  return call.finish([=](const Reached& reached) {
    Places places = nonzeros(from, to.format, reached);
    const auto count = std::min<std::int64_t>(to.nnz, static_cast<std::int64_t>(places.row.size()));
    for (std::int64_t i = 0; i < count; ++i)
      std::copy_n(reached.at(from.index) + from.place(places.row[i], places.column[i]) * bytes, bytes,
                  reached.at(values) + i * bytes);
    if (is_by_columns) std::swap(places.row, places.column);
    for (std::int64_t i = 0; i < count; ++i) {
      write_index(reached.at(inner), to.inner_type, i, places.column[i] + to.base);
      if (!has_offsets) write_index(reached.at(outer), to.outer_type, i, places.row[i] + to.base);
    }
    if (has_offsets) write_offsets(reached.at(outer), to.outer_type, to.base, places.row, outer_count);
  });
}

// ---- rows and offsets ----------------------------------------------------------------------------------

void check_counts(Call& call, std::initializer_list<std::pair<const char*, int>> counts) {
  for (const auto& [name, value] : counts) call.size(name, value);
  if (call.is_valid()) call.costs(LibraryPattern::kUpdate, CUDA_R_32F, 0);
}

std::size_t integers(Call& call, const char* name, const int* address, std::int64_t count, Access access) {
  return call.memory(name, address, static_cast<std::size_t>(count) * sizeof(int), access);
}

cusparseStatus_t compress(Call& call, const int* rows, int nnz, int m, int* offsets,
                          cusparseIndexBase_t base) {
  check_counts(call, {{"nnz", nnz}, {"m", m}});
  if (!call.is_valid()) return call.finish(nullptr);
  const std::size_t from = integers(call, "cooRowInd", rows, nnz, Access::kRead),
                    to = integers(call, "csrSortedRowPtr", offsets, m + 1L, Access::kWrite);
  return call.finish([=](const Reached& reached) {
    std::vector<std::int64_t> numbers(nnz);
    for (int i = 0; i < nnz; ++i) {
      numbers[i] = reached.of<int>(from)[i] - base;
      if (numbers[i] < 0 || numbers[i] >= m)
        reached.reach().wrong_index("cooRowInd", i, numbers[i] + base, base, std::int64_t{m} + base);
    }
    write_offsets(reached.at(to), CUSPARSE_INDEX_32I, base, numbers, m);
  });
}

cusparseStatus_t expand(Call& call, const int* offsets, int nnz, int m, int* rows, cusparseIndexBase_t base) {
  check_counts(call, {{"nnz", nnz}, {"m", m}});
  if (!call.is_valid()) return call.finish(nullptr);
  const std::size_t from = integers(call, "csrSortedRowPtr", offsets, m + 1L, Access::kRead),
                    to = integers(call, "cooRowInd", rows, nnz, Access::kWrite);
  return call.finish([=](const Reached& reached) {
    const int* begin = reached.of<int>(from);
    for (int row = 0; row < m; ++row) {
      if (begin[row + 1] < begin[row] || begin[row + 1] - base > nnz)
        reached.reach().wrong_index("csrSortedRowPtr", row + 1, begin[row + 1], begin[row], nnz + 1L + base);
      std::fill(reached.of<int>(to) + begin[row] - base, reached.of<int>(to) + begin[row + 1] - base,
                row + base);
    }
  });
}

struct Compressed {
  int m, n, nnz;
  const void* values;
  const int *offsets, *columns;
  cudaDataType type;
  cusparseIndexBase_t base;
};

// The same elements by columns.
cusparseStatus_t turn(Call& call, const Compressed& from, void* values, int* offsets, int* rows,
                      bool has_values) {
  static constexpr const char* kNames[] = {"csrRowPtr", "csrColInd", "csrVal"};
  check_counts(call, {{"m", from.m}, {"n", from.n}, {"nnz", from.nnz}});
  call.supported(bytes_of(from.type) > 0);
  if (!call.is_valid()) return call.finish(nullptr);
  cusparseSpMatDescr matrix{CUSPARSE_FORMAT_CSR, from.m,       from.n,      from.nnz,
                            from.offsets,        from.columns, from.values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I,  from.base,    from.type};
  const std::size_t bytes = has_values ? bytes_of(from.type) : 0;
  SparseOf a{matrix, kNames};
  a.outer = integers(call, kNames[0], from.offsets, from.m + 1L, Access::kRead);
  a.inner = integers(call, kNames[1], from.columns, from.nnz, Access::kRead);
  a.values = call.memory(kNames[2], from.values, from.nnz * bytes, Access::kRead);
  const std::size_t to_values = call.memory("cscVal", values, from.nnz * bytes, Access::kWrite);
  const std::size_t to_offsets = integers(call, "cscColPtr", offsets, from.n + 1L, Access::kWrite);
  const std::size_t to_rows = integers(call, "cscRowInd", rows, from.nnz, Access::kWrite);
  return call.finish([=](const Reached& reached) {
    const Places places = places_of(a, reached);
    std::vector<std::int64_t> begin;
    const std::vector<std::int64_t> order = order_by(places.column, from.n, begin);
    for (std::size_t i = 0; i < begin.size(); ++i)
      write_index(reached.at(to_offsets), CUSPARSE_INDEX_32I, i, begin[i] + from.base);
    for (std::size_t i = 0; i < order.size(); ++i) {
      write_index(reached.at(to_rows), CUSPARSE_INDEX_32I, i, places.row[order[i]] + from.base);
      std::copy_n(reached.at(a.values) + order[i] * bytes, bytes, reached.at(to_values) + i * bytes);
    }
  });
}

// ---- sorting -------------------------------------------------------------------------------------------

// Applies an order to integers in place.
void reorder(int* numbers, const std::vector<std::int64_t>& order) {
  const std::vector<int> before(numbers, numbers + order.size());
  for (std::size_t i = 0; i < order.size(); ++i) numbers[i] = before[order[i]];
}

// Sorts elements by `first`, and those with the same one by `second`; the permutation, which may be null, in
// the same way.
cusparseStatus_t sort_elements(Call& call, int nnz, int* first, const char* first_name, int* second,
                               const char* second_name, int* permutation) {
  check_counts(call, {{"nnz", nnz}});
  if (!call.is_valid()) return call.finish(nullptr);
  const std::size_t by = integers(call, first_name, first, nnz, Access::kUpdate),
                    then = integers(call, second_name, second, nnz, Access::kUpdate),
                    moved = integers(call, "P", permutation, permutation ? nnz : 0, Access::kUpdate);
  return call.finish([=](const Reached& reached) {
    const int *keys = reached.of<int>(by), *further = reached.of<int>(then);
    std::vector<std::int64_t> order(nnz);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return std::pair(keys[i], further[i]); });
    for (const std::size_t each : {by, then}) reorder(reached.of<int>(each), order);
    if (permutation) reorder(reached.of<int>(moved), order);
  });
}

// Sorts the elements of each row (or column) of a compressed matrix.
cusparseStatus_t sort_within(Call& call, int lines, int nnz, cusparseMatDescr_t descriptor,
                             const int* offsets, const char* offsets_name, int* indices,
                             const char* indices_name, int* permutation) {
  call.pointer("descrA", descriptor);
  check_counts(call, {{"nnz", nnz}, {"m", lines}});
  if (!call.is_valid()) return call.finish(nullptr);
  const int base = descriptor->base;
  const std::size_t begins = integers(call, offsets_name, offsets, lines + 1L, Access::kRead),
                    sorted = integers(call, indices_name, indices, nnz, Access::kUpdate),
                    moved = integers(call, "P", permutation, permutation ? nnz : 0, Access::kUpdate);
  return call.finish([=](const Reached& reached) {
    const int *begin = reached.of<int>(begins), *keys = reached.of<int>(sorted);
    std::vector<std::int64_t> order(nnz);
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < lines; ++i) {
      if (begin[i] < base || begin[i + 1] < begin[i] || begin[i + 1] - base > nnz)
        reached.reach().wrong_index(offsets_name, i + 1, begin[i + 1], std::max(begin[i], base),
                                    nnz + 1L + base);
      std::stable_sort(order.begin() + begin[i] - base, order.begin() + begin[i + 1] - base,
                       [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
    }
    reorder(reached.of<int>(sorted), order);
    if (permutation) reorder(reached.of<int>(moved), order);
  });
}

// ---- elements that are not 0 ---------------------------------------------------------------------------

// cusparse<t>nnz: how many elements of each row (or column) are not 0, and how many there are.
struct DenseCount {
  cusparseDirection_t direction;
  int m, n;
  const void* a;
  cudaDataType type;
  int lda;
  int *each, *total;
};

cusparseStatus_t count_each(Call& call, cusparseMatDescr_t descriptor, const DenseCount& count) {
  call.pointer("descrA", descriptor);
  check_counts(call, {{"m", count.m}, {"n", count.n}});
  call.pointer("nnzTotalDevHostPtr", count.total);
  if (!call.is_valid()) return call.finish(nullptr);
  const cusparseDnMatDescr dense{count.m, count.n, count.lda, count.a, count.type, CUSPARSE_ORDER_COL};
  const bool is_by_rows = count.direction == CUSPARSE_DIRECTION_ROW;
  const int lines = is_by_rows ? count.m : count.n;
  const MatrixOf from = call.matrix("A", &dense, Access::kRead);
  const std::size_t each = integers(call, "nnzPerRowCol", count.each, lines, Access::kWrite);
  const bool is_on_device = call.has_factors_on_device();
  const std::size_t total =
      is_on_device ? integers(call, "nnzTotalDevHostPtr", count.total, 1, Access::kWrite) : 0;
  return call.finish(
      [=](const Reached& reached) {
        const Places places = nonzeros(from, CUSPARSE_FORMAT_CSR, reached);
        std::fill_n(reached.of<int>(each), lines, 0);
        for (std::size_t i = 0; i < places.row.size(); ++i)
          ++reached.of<int>(each)[is_by_rows ? places.row[i] : places.column[i]];
        *(is_on_device ? reached.of<int>(total) : count.total) = static_cast<int>(places.row.size());
      },
      !is_on_device);
}

}  // namespace
}  // namespace cudalab::sparse

using namespace cudalab::sparse;

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t,
                                                  cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t,
                                                  size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t, void*) {
  Call call(__func__, handle);
  return to_dense(call, matA, matB);
}
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t,
                                                  cusparseSpMatDescr_t, cusparseDenseToSparseAlg_t,
                                                  size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
                                                void*) {
  Call call(__func__, handle);
  return count_nonzeros(call, matA, matB);
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                               cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t, void*) {
  Call call(__func__, handle);
  return to_sparse(call, matA, matB);
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int nnz, int m, int* offsets,
                                  cusparseIndexBase_t base) {
  Call call(__func__, handle);
  return compress(call, rows, nnz, m, offsets, base);
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int nnz, int m, int* rows,
                                  cusparseIndexBase_t base) {
  Call call(__func__, handle);
  return expand(call, offsets, nnz, m, rows, base);
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int, int, int, const void*,
                                               const int*, const int*, void*, int*, int*, cudaDataType,
                                               cusparseAction_t, cusparseIndexBase_t, cusparseCsr2CscAlg_t,
                                               size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                                    const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr,
                                    int* cscRowInd, cudaDataType type, cusparseAction_t copyValues,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void*) {
  Call call(__func__, handle);
  return turn(call, {m, n, nnz, csrVal, csrRowPtr, csrColInd, type, base}, cscVal, cscColPtr, cscRowInd,
              copyValues == CUSPARSE_ACTION_NUMERIC);
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  Call call(__func__, handle);
  check_counts(call, {{"n", n}});
  if (!call.is_valid()) return call.finish(nullptr);
  const std::size_t to = integers(call, "p", p, n, Access::kWrite);
  return call.finish(
      [=](const Reached& reached) { std::iota(reached.of<int>(to), reached.of<int>(to) + n, 0); });
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int*,
                                                const int*, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int, int, int nnz, int* rows, int* columns,
                                       int* p, void*) {
  Call call(__func__, handle);
  return sort_elements(call, nnz, rows, "cooRowsA", columns, "cooColsA", p);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int, int, int nnz, int* rows, int* columns,
                                          int* p, void*) {
  Call call(__func__, handle);
  return sort_elements(call, nnz, columns, "cooColsA", rows, "cooRowsA", p);
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int*,
                                                const int*, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int, int nnz,
                                  const cusparseMatDescr_t descrA, const int* rows, int* columns, int* p,
                                  void*) {
  Call call(__func__, handle);
  return sort_within(call, m, nnz, descrA, rows, "csrRowPtrA", columns, "csrColIndA", p);
}
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int*,
                                                const int*, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int* columns, int* rows, int* p,
                                  void*) {
  Call call(__func__, handle);
  return sort_within(call, n, nnz, descrA, columns, "cscColPtrA", rows, "cscRowIndA", p);
}

#define SPARSE_COUNT(letter, T, type)                                                                     \
  cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n, \
                                         const cusparseMatDescr_t descrA, const T* A, int lda,            \
                                         int* nnzPerRowCol, int* nnzTotalDevHostPtr) {                    \
    Call call(__func__, handle);                                                                          \
    return count_each(call, descrA, {dirA, m, n, A, type, lda, nnzPerRowCol, nnzTotalDevHostPtr});        \
  }
SPARSE_COUNT(S, float, CUDA_R_32F)
SPARSE_COUNT(D, double, CUDA_R_64F)
SPARSE_COUNT(C, cuComplex, CUDA_C_32F)
SPARSE_COUNT(Z, cuDoubleComplex, CUDA_C_64F)

}  // extern "C"
#pragma GCC visibility pop

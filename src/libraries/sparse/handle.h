// The objects behind cuSPARSE's handles and descriptors, and the names of its statuses.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <memory>
#include <vector>

// Declared by cuSPARSE in the global namespace.
struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

struct cusparseSpVecDescr {
  std::int64_t size, nnz;
  const void *indices, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
};

struct cusparseDnVecDescr {
  std::int64_t size;
  const void* values;
  cudaDataType type;
};

struct cusparseDnMatDescr {
  std::int64_t rows, columns, leading;
  const void* values;
  cudaDataType type;
  cusparseOrder_t order;
  int batch = 1;
  std::int64_t batch_stride = 0;
};

// `outer`: offsets of rows (CSR), columns (CSC), block rows (BSR) or slices (sliced ELL), or row indices
// (COO). `inner`: the other indices. Blocked ELL has no outer ones.
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  std::int64_t rows, columns, nnz;
  const void *outer, *inner, *values;
  cusparseIndexType_t outer_type, inner_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  // The sizes of a block of BSR and blocked ELL. Of sliced ELL, block_rows is the number of rows of a slice.
  std::int64_t block_rows = 1, block_columns = 1;
  cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;  // of the elements in a block of BSR
  std::int64_t ell_columns = 0;                      // of blocked ELL: elements that each row stores
  std::int64_t stored = 0;                           // of sliced ELL: elements with padding
  int batch = 1;
  std::int64_t outer_stride = 0, inner_stride = 0, value_stride = 0;  // elements from matrix to matrix
};

namespace cudalab::sparse {

// Whether the handle exists and has not been destroyed.
bool is_handle(cusparseHandle_t handle);
const char* name_of(cusparseStatus_t status);
// The status that reports an error of the runtime.
cusparseStatus_t status_of(cudaError_t error);

}  // namespace cudalab::sparse

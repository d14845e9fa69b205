// Descriptors of vectors and matrices of cuSPARSE's generic interface. They keep what the program passes;
// memory is first touched when a call uses it.
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "libraries/sparse/handle.h"
#include "libraries/sparse/numbers.h"
#include "runtime/library_work.h"

namespace cudalab::sparse {
namespace {

using runtime::LibraryFailure;

cusparseStatus_t refused(const char* call, const LibraryFailure& why) {
  __cudalabLibraryFailed(call, name_of(CUSPARSE_STATUS_INVALID_VALUE), why);
  return CUSPARSE_STATUS_INVALID_VALUE;
}

struct SizeOf {
  const char* parameter;
  std::int64_t value;
};

// `Place`: the program's pointer to a descriptor, or to a constant one.
template <class Place, class Descriptor>
cusparseStatus_t create(const char* call, Place* place, std::initializer_list<SizeOf> sizes,
                        const Descriptor& descriptor) {
  if (!place) return refused(call, {LibraryFailure::kNull, "descriptor"});
  for (const auto& [parameter, value] : sizes)
    if (value < 0) return refused(call, {LibraryFailure::kNegative, parameter, value});
  if (bytes_of(descriptor.type) == 0)
    return refused(call, {LibraryFailure::kUnknown, "valueType", descriptor.type});
  *place = new Descriptor(descriptor);
  return CUSPARSE_STATUS_SUCCESS;
}

template <class Descriptor>
cusparseStatus_t destroy(const Descriptor* descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

// Copies members of a descriptor to the places that the program passes; null places are left out.
template <class Descriptor, class... Pairs>
cusparseStatus_t get(const char* call, Descriptor* descriptor, Pairs... copies) {
  if (!descriptor) return refused(call, {LibraryFailure::kNull, "descriptor"});
  (copies(*descriptor), ...);
  return CUSPARSE_STATUS_SUCCESS;
}

// Gives member `member` to `place`.
template <class Owner, class Member, class Place>
auto copied(Place* place, Member Owner::*member) {
  return [=](const Owner& from) {
    if (!place) return;
    if constexpr (std::is_same_v<Place, void*>)
      *place = const_cast<void*>(from.*member);
    else
      *place = from.*member;
  };
}

template <class Descriptor>
cusparseStatus_t set_values(const char* call, Descriptor* descriptor, const void* values) {
  if (!descriptor) return refused(call, {LibraryFailure::kNull, "descriptor"});
  descriptor->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t set_pointers(const char* call, cusparseSpMatDescr_t matrix, const void* outer,
                              const void* inner, const void* values) {
  if (!matrix) return refused(call, {LibraryFailure::kNull, "spMatDescr"});
  matrix->outer = outer, matrix->inner = inner, matrix->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class Place>
cusparseStatus_t create_dense(const char* call, Place* place, const cusparseDnMatDescr& matrix) {
  const std::int64_t least = matrix.order == CUSPARSE_ORDER_ROW ? matrix.columns : matrix.rows;
  if (matrix.leading < least) return refused(call, {LibraryFailure::kBelow, "ld", matrix.leading, least});
  return create(call, place, {{"rows", matrix.rows}, {"cols", matrix.columns}}, matrix);
}

template <class Place>
cusparseStatus_t create_sparse(const char* call, Place* place, const cusparseSpMatDescr& matrix) {
  return create(call, place, {{"rows", matrix.rows}, {"cols", matrix.columns}, {"nnz", matrix.nnz}}, matrix);
}

template <class Place>
cusparseStatus_t create_blocks(const char* call, Place* place, const cusparseSpMatDescr& matrix) {
  if (matrix.block_rows < 1)
    return refused(call, {LibraryFailure::kBelow, "blockSize", matrix.block_rows, 1});
  if (matrix.block_columns < 1)
    return refused(call, {LibraryFailure::kBelow, "colBlockSize", matrix.block_columns, 1});
  return create_sparse(call, place, matrix);
}

// Batches of matrices: the distance from one to the next, in elements of each array.
struct BatchStrides {
  std::int64_t outer, inner, values;
};
cusparseStatus_t set_batch(const char* call, cusparseSpMatDescr_t matrix, int count,
                           const BatchStrides& strides) {
  if (!matrix) return refused(call, {LibraryFailure::kNull, "spMatDescr"});
  if (count < 1) return refused(call, {LibraryFailure::kBelow, "batchCount", count, 1});
  matrix->batch = count;
  matrix->outer_stride = strides.outer;
  matrix->inner_stride = strides.inner;
  matrix->value_stride = strides.values;
  return CUSPARSE_STATUS_SUCCESS;
}

// The attribute's member of the matrix, as bytes, or null for an unknown attribute or size.
template <class Matrix>
auto* attribute_of(Matrix& matrix, cusparseSpMatAttribute_t attribute, std::size_t bytes) {
  using Bytes = std::conditional_t<std::is_const_v<Matrix>, const void, void>;
  Bytes* found = nullptr;
  if (bytes == sizeof matrix.fill && attribute == CUSPARSE_SPMAT_FILL_MODE) found = &matrix.fill;
  if (bytes == sizeof matrix.diagonal && attribute == CUSPARSE_SPMAT_DIAG_TYPE) found = &matrix.diagonal;
  return found;
}

}  // namespace
}  // namespace cudalab::sparse

using namespace cudalab::sparse;

#pragma GCC visibility push(default)
extern "C" {

// Each object has a function for a program that writes through its pointers, and one (CONST) for a program
// that does not: NAME is empty or Const, VOID is void or const void.
#define SPARSE_OBJECTS(NAME, VOID)                                                                           \
  cusparseStatus_t cusparseCreate##NAME##SpVec(                                                              \
      cusparse##NAME##SpVecDescr_t* place, int64_t size, int64_t nnz, VOID* indices, VOID* values,           \
      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {                         \
    return create(__func__, place, {{"size", size}, {"nnz", nnz}},                                           \
                  cusparseSpVecDescr{size, nnz, indices, values, index_type, base, type});                   \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##SpVecGet(                                                                 \
      cusparse##NAME##SpVecDescr_t vector, int64_t* size, int64_t* nnz, VOID** indices, VOID** values,       \
      cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {                      \
    using From = cusparseSpVecDescr;                                                                         \
    return get(__func__, vector, copied(size, &From::size), copied(nnz, &From::nnz),                         \
               copied(indices, &From::indices), copied(values, &From::values),                               \
               copied(index_type, &From::index_type), copied(base, &From::base), copied(type, &From::type)); \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##SpVecGetValues(cusparse##NAME##SpVecDescr_t vector, VOID** values) {      \
    return get(__func__, vector, copied(values, &cusparseSpVecDescr::values));                               \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##DnVec(cusparse##NAME##DnVecDescr_t* place, int64_t size,            \
                                               VOID* values, cudaDataType type) {                            \
    return create(__func__, place, {{"size", size}}, cusparseDnVecDescr{size, values, type});                \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##DnVecGet(cusparse##NAME##DnVecDescr_t vector, int64_t* size,              \
                                            VOID** values, cudaDataType* type) {                             \
    using From = cusparseDnVecDescr;                                                                         \
    return get(__func__, vector, copied(size, &From::size), copied(values, &From::values),                   \
               copied(type, &From::type));                                                                   \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##DnVecGetValues(cusparse##NAME##DnVecDescr_t vector, VOID** values) {      \
    return get(__func__, vector, copied(values, &cusparseDnVecDescr::values));                               \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##DnMat(cusparse##NAME##DnMatDescr_t* place, int64_t rows,            \
                                               int64_t cols, int64_t ld, VOID* values, cudaDataType type,    \
                                               cusparseOrder_t order) {                                      \
    return create_dense(__func__, place, {rows, cols, ld, values, type, order});                             \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##DnMatGet(cusparse##NAME##DnMatDescr_t matrix, int64_t* rows,              \
                                            int64_t* cols, int64_t* ld, VOID** values, cudaDataType* type,   \
                                            cusparseOrder_t* order) {                                        \
    using From = cusparseDnMatDescr;                                                                         \
    return get(__func__, matrix, copied(rows, &From::rows), copied(cols, &From::columns),                    \
               copied(ld, &From::leading), copied(values, &From::values), copied(type, &From::type),         \
               copied(order, &From::order));                                                                 \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##DnMatGetValues(cusparse##NAME##DnMatDescr_t matrix, VOID** values) {      \
    return get(__func__, matrix, copied(values, &cusparseDnMatDescr::values));                               \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##Csr(                                                                \
      cusparse##NAME##SpMatDescr_t* place, int64_t rows, int64_t cols, int64_t nnz, VOID* outer,             \
      VOID* inner, VOID* values, cusparseIndexType_t outer_type, cusparseIndexType_t inner_type,             \
      cusparseIndexBase_t base, cudaDataType type) {                                                         \
    return create_sparse(                                                                                    \
        __func__, place,                                                                                     \
        {CUSPARSE_FORMAT_CSR, rows, cols, nnz, outer, inner, values, outer_type, inner_type, base, type});   \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##Csc(                                                                \
      cusparse##NAME##SpMatDescr_t* place, int64_t rows, int64_t cols, int64_t nnz, VOID* outer,             \
      VOID* inner, VOID* values, cusparseIndexType_t outer_type, cusparseIndexType_t inner_type,             \
      cusparseIndexBase_t base, cudaDataType type) {                                                         \
    return create_sparse(                                                                                    \
        __func__, place,                                                                                     \
        {CUSPARSE_FORMAT_CSC, rows, cols, nnz, outer, inner, values, outer_type, inner_type, base, type});   \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##Coo(                                                                \
      cusparse##NAME##SpMatDescr_t* place, int64_t rows, int64_t cols, int64_t nnz, VOID* row, VOID* column, \
      VOID* values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {           \
    return create_sparse(                                                                                    \
        __func__, place,                                                                                     \
        {CUSPARSE_FORMAT_COO, rows, cols, nnz, row, column, values, index_type, index_type, base, type});    \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##Bsr(                                                                \
      cusparse##NAME##SpMatDescr_t* place, int64_t brows, int64_t bcols, int64_t bnnz, int64_t height,       \
      int64_t width, VOID* outer, VOID* inner, VOID* values, cusparseIndexType_t outer_type,                 \
      cusparseIndexType_t inner_type, cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order) {  \
    cusparseSpMatDescr matrix{CUSPARSE_FORMAT_BSR,                                                           \
                              brows * height,                                                                \
                              bcols * width,                                                                 \
                              bnnz * height * width,                                                         \
                              outer,                                                                         \
                              inner,                                                                         \
                              values,                                                                        \
                              outer_type,                                                                    \
                              inner_type,                                                                    \
                              base,                                                                          \
                              type};                                                                         \
    matrix.block_rows = height, matrix.block_columns = width, matrix.block_order = order;                    \
    return create_blocks(__func__, place, matrix);                                                           \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##BlockedEll(                                                         \
      cusparse##NAME##SpMatDescr_t* place, int64_t rows, int64_t cols, int64_t size, int64_t ell_columns,    \
      VOID* inner, VOID* values, cusparseIndexType_t inner_type, cusparseIndexBase_t base,                   \
      cudaDataType type) {                                                                                   \
    cusparseSpMatDescr matrix{CUSPARSE_FORMAT_BLOCKED_ELL,                                                   \
                              rows,                                                                          \
                              cols,                                                                          \
                              rows * ell_columns,                                                            \
                              nullptr,                                                                       \
                              inner,                                                                         \
                              values,                                                                        \
                              inner_type,                                                                    \
                              inner_type,                                                                    \
                              base,                                                                          \
                              type};                                                                         \
    matrix.block_rows = matrix.block_columns = size, matrix.ell_columns = ell_columns;                       \
    return create_blocks(__func__, place, matrix);                                                           \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##BlockedEllGet(                                                            \
      cusparse##NAME##SpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* size,                      \
      int64_t* ell_columns, VOID** inner, VOID** values, cusparseIndexType_t* index_type,                    \
      cusparseIndexBase_t* base, cudaDataType* type) {                                                       \
    using From = cusparseSpMatDescr;                                                                         \
    return get(__func__, matrix, copied(rows, &From::rows), copied(cols, &From::columns),                    \
               copied(size, &From::block_rows), copied(ell_columns, &From::ell_columns),                     \
               copied(inner, &From::inner), copied(values, &From::values),                                   \
               copied(index_type, &From::inner_type), copied(base, &From::base), copied(type, &From::type)); \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##NAME##SlicedEll(                                                          \
      cusparse##NAME##SpMatDescr_t* place, int64_t rows, int64_t cols, int64_t nnz, int64_t stored,          \
      int64_t slice, VOID* outer, VOID* inner, VOID* values, cusparseIndexType_t outer_type,                 \
      cusparseIndexType_t inner_type, cusparseIndexBase_t base, cudaDataType type) {                         \
    cusparseSpMatDescr matrix{CUSPARSE_FORMAT_SLICED_ELLPACK,                                                \
                              rows,                                                                          \
                              cols,                                                                          \
                              nnz,                                                                           \
                              outer,                                                                         \
                              inner,                                                                         \
                              values,                                                                        \
                              outer_type,                                                                    \
                              inner_type,                                                                    \
                              base,                                                                          \
                              type};                                                                         \
    matrix.block_rows = slice, matrix.stored = stored;                                                       \
    return create_blocks(__func__, place, matrix);                                                           \
  }                                                                                                          \
  SPARSE_GET_COMPRESSED(NAME, VOID, Csr)                                                                     \
  SPARSE_GET_COMPRESSED(NAME, VOID, Csc)                                                                     \
  cusparseStatus_t cusparse##NAME##CooGet(cusparse##NAME##SpMatDescr_t matrix, int64_t* rows, int64_t* cols, \
                                          int64_t* nnz, VOID** row, VOID** column, VOID** values,            \
                                          cusparseIndexType_t* index_type, cusparseIndexBase_t* base,        \
                                          cudaDataType* type) {                                              \
    using From = cusparseSpMatDescr;                                                                         \
    return get(__func__, matrix, copied(rows, &From::rows), copied(cols, &From::columns),                    \
               copied(nnz, &From::nnz), copied(row, &From::outer), copied(column, &From::inner),             \
               copied(values, &From::values), copied(index_type, &From::outer_type),                         \
               copied(base, &From::base), copied(type, &From::type));                                        \
  }                                                                                                          \
  cusparseStatus_t cusparse##NAME##SpMatGetValues(cusparse##NAME##SpMatDescr_t matrix, VOID** values) {      \
    return get(__func__, matrix, copied(values, &cusparseSpMatDescr::values));                               \
  }
#define SPARSE_GET_COMPRESSED(NAME, VOID, FORMAT)                                                            \
  cusparseStatus_t cusparse##NAME##FORMAT##Get(                                                              \
      cusparse##NAME##SpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz, VOID** outer,         \
      VOID** inner, VOID** values, cusparseIndexType_t* outer_type, cusparseIndexType_t* inner_type,         \
      cusparseIndexBase_t* base, cudaDataType* type) {                                                       \
    using From = cusparseSpMatDescr;                                                                         \
    return get(__func__, matrix, copied(rows, &From::rows), copied(cols, &From::columns),                    \
               copied(nnz, &From::nnz), copied(outer, &From::outer), copied(inner, &From::inner),            \
               copied(values, &From::values), copied(outer_type, &From::outer_type),                         \
               copied(inner_type, &From::inner_type), copied(base, &From::base), copied(type, &From::type)); \
  }
SPARSE_OBJECTS(, void)
SPARSE_OBJECTS(Const, const void)

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return destroy(matrix); }

cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void* values) {
  return set_values(__func__, vector, values);
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values) {
  return set_values(__func__, vector, values);
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void* values) {
  return set_values(__func__, matrix, values);
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void* values) {
  return set_values(__func__, matrix, values);
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* rows, void* columns,
                                        void* values) {
  return set_pointers(__func__, matrix, rows, columns, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void* columns, void* rows,
                                        void* values) {
  return set_pointers(__func__, matrix, columns, rows, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* rows, void* columns,
                                        void* values) {
  return set_pointers(__func__, matrix, rows, columns, values);
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector, cusparseIndexBase_t* base) {
  return get(__func__, vector, copied(base, &cusparseSpVecDescr::base));
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t* base) {
  return get(__func__, matrix, copied(base, &cusparseSpMatDescr::base));
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t* format) {
  return get(__func__, matrix, copied(format, &cusparseSpMatDescr::format));
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols,
                                      int64_t* nnz) {
  using From = cusparseSpMatDescr;
  return get(__func__, matrix, copied(rows, &From::rows), copied(cols, &From::columns),
             copied(nnz, &From::nnz));
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int count, int64_t stride) {
  if (!matrix) return refused(__func__, {LibraryFailure::kNull, "dnMatDescr"});
  if (count < 1) return refused(__func__, {LibraryFailure::kBelow, "batchCount", count, 1});
  matrix->batch = count, matrix->batch_stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int* count, int64_t* stride) {
  using From = cusparseDnMatDescr;
  return get(__func__, matrix, copied(count, &From::batch), copied(stride, &From::batch_stride));
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t offsets,
                                            int64_t columns_and_values) {
  return set_batch(__func__, matrix, count, {offsets, columns_and_values, columns_and_values});
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t stride) {
  return set_batch(__func__, matrix, count, {stride, stride, stride});
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t offsets,
                                            int64_t columns, int64_t values) {
  return set_batch(__func__, matrix, count, {offsets, columns, values});
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int* count) {
  return get(__func__, matrix, copied(count, &cusparseSpMatDescr::batch));
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void* data, size_t bytes) {
  if (!matrix || !data) return refused(__func__, {LibraryFailure::kNull, matrix ? "data" : "spMatDescr"});
  const void* found = attribute_of(*matrix, attribute, bytes);
  if (!found) return refused(__func__, {LibraryFailure::kUnknown, "attribute", attribute});
  std::memcpy(data, found, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                                           void* data, size_t bytes) {
  if (!matrix || !data) return refused(__func__, {LibraryFailure::kNull, matrix ? "data" : "spMatDescr"});
  void* found = attribute_of(*matrix, attribute, bytes);
  if (!found) return refused(__func__, {LibraryFailure::kUnknown, "attribute", attribute});
  std::memcpy(found, data, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop

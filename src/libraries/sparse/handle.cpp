// cuSPARSE's functions that need no GPU: handles and their modes, descriptors of the older interface, names
// of statuses, versions.
#include "libraries/sparse/handle.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <set>

#include "runtime/library_work.h"

namespace cudalab::sparse {
namespace {

using runtime::LibraryFailure;

struct StatusText {
  cusparseStatus_t status;
  const char *name, *text;
};
constexpr StatusText kStatuses[] = {
    {CUSPARSE_STATUS_SUCCESS, "CUSPARSE_STATUS_SUCCESS", "success"},
    {CUSPARSE_STATUS_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {CUSPARSE_STATUS_ALLOC_FAILED, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {CUSPARSE_STATUS_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {CUSPARSE_STATUS_ARCH_MISMATCH, "CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {CUSPARSE_STATUS_MAPPING_ERROR, "CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"},
    {CUSPARSE_STATUS_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {CUSPARSE_STATUS_INTERNAL_ERROR, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
     "matrix type not supported"},
    {CUSPARSE_STATUS_ZERO_PIVOT, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {CUSPARSE_STATUS_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
     "insufficient resources"},
};

const StatusText* row_of(cusparseStatus_t status) {
  const auto* row = std::ranges::find(kStatuses, status, &StatusText::status);
  return row == std::end(kStatuses) ? nullptr : row;
}

// Never destroyed: exit handlers of the program may still destroy handles.
struct Handles {
  std::mutex mutex;
  std::set<cusparseHandle_t> all;
};
Handles& handles() {
  static auto& made = *new Handles;
  return made;
}

cusparseStatus_t failed(const char* call, cusparseStatus_t status, const LibraryFailure& why = {}) {
  __cudalabLibraryFailed(call, name_of(status), why);
  return status;
}

template <class Body>
cusparseStatus_t with_handle(const char* call, cusparseHandle_t handle, const void* result,
                             const Body& body) {
  if (!is_handle(handle))
    return failed(call, CUSPARSE_STATUS_NOT_INITIALIZED, {LibraryFailure::kNull, "handle"});
  if (!result) return failed(call, CUSPARSE_STATUS_INVALID_VALUE, {LibraryFailure::kNull, "result"});
  body(*handle);
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
cusparseStatus_t change(const char* call, cusparseMatDescr_t descriptor, T cusparseMatDescr::*member,
                        T value) {
  if (!descriptor) return failed(call, CUSPARSE_STATUS_INVALID_VALUE, {LibraryFailure::kNull, "descrA"});
  descriptor->*member = value;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

bool is_handle(cusparseHandle_t handle) {
  const std::lock_guard lock(handles().mutex);
  return handles().all.contains(handle);
}

const char* name_of(cusparseStatus_t status) {
  const StatusText* row = row_of(status);
  return row ? row->name : "unrecognized error code";
}

cusparseStatus_t status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return CUSPARSE_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation: return CUSPARSE_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue: return CUSPARSE_STATUS_INVALID_VALUE;
    default: return CUSPARSE_STATUS_EXECUTION_FAILED;
  }
}

}  // namespace cudalab::sparse

using namespace cudalab::sparse;

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (!handle) return failed(__func__, CUSPARSE_STATUS_INVALID_VALUE, {LibraryFailure::kNull, "handle"});
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *handle = new cusparseContext;
  const std::lock_guard lock(handles().mutex);
  handles().all.insert(*handle);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return with_handle(__func__, handle, handle, [&](cusparseContext&) {
    const std::lock_guard lock(handles().mutex);
    handles().all.erase(handle);
    delete handle;
  });
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  return with_handle(__func__, handle, version, [=](cusparseContext&) { *version = CUSPARSE_VERSION; });
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
  if (!value || static_cast<std::size_t>(type) >= std::size(kParts))
    return failed(__func__, CUSPARSE_STATUS_INVALID_VALUE, {LibraryFailure::kUnknown, "type", type});
  *value = kParts[type];
  return CUSPARSE_STATUS_SUCCESS;
}

const char* cusparseGetErrorName(cusparseStatus_t status) { return name_of(status); }
const char* cusparseGetErrorString(cusparseStatus_t status) {
  const StatusText* row = row_of(status);
  return row ? row->text : "unrecognized error code";
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  return with_handle(__func__, handle, handle, [=](cusparseContext& context) { context.stream = stream; });
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  return with_handle(__func__, handle, stream, [=](cusparseContext& context) { *stream = context.stream; });
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  return with_handle(__func__, handle, handle,
                     [=](cusparseContext& context) { context.pointer_mode = mode; });
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  return with_handle(__func__, handle, mode, [=](cusparseContext& context) { *mode = context.pointer_mode; });
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) {
  if (!descriptor) return failed(__func__, CUSPARSE_STATUS_INVALID_VALUE, {LibraryFailure::kNull, "descrA"});
  *descriptor = new cusparseMatDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

#define SPARSE_MATRIX_FIELD(name, type, member)                                      \
  cusparseStatus_t cusparseSetMat##name(cusparseMatDescr_t descriptor, type value) { \
    return change(__func__, descriptor, &cusparseMatDescr::member, value);           \
  }                                                                                  \
  type cusparseGetMat##name(const cusparseMatDescr_t descriptor) {                   \
    return descriptor ? descriptor->member : cusparseMatDescr{}.member;              \
  }
SPARSE_MATRIX_FIELD(Type, cusparseMatrixType_t, type)
SPARSE_MATRIX_FIELD(FillMode, cusparseFillMode_t, fill)
SPARSE_MATRIX_FIELD(DiagType, cusparseDiagType_t, diagonal)
SPARSE_MATRIX_FIELD(IndexBase, cusparseIndexBase_t, base)

}  // extern "C"
#pragma GCC visibility pop

// cuBLAS's functions that need no GPU: handles and their modes, names of statuses, versions.
#include "libraries/blas/handle.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

#include "runtime/library_work.h"

namespace cudalab::blas {
namespace {

struct StatusText {
  cublasStatus_t status;
  const char *name, *text;
};
// The texts that cublasGetStatusString returns in CUDA 13.0.
constexpr StatusText kStatuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the architecture of the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "the functionality requested requires some license and an error was detected when trying to check the "
     "current licensing"},
};

const StatusText* row_of(cublasStatus_t status) {
  const auto* row = std::ranges::find(kStatuses, status, &StatusText::status);
  return row == std::end(kStatuses) ? nullptr : row;
}

// Never destroyed: exit handlers of the program may still destroy handles.
struct Handles {
  std::mutex mutex;
  std::set<cublasHandle_t> all;
};
Handles& handles() {
  static auto& made = *new Handles;
  return made;
}

}  // namespace

bool is_handle(cublasHandle_t handle) {
  const std::lock_guard lock(handles().mutex);
  return handles().all.contains(handle);
}

const char* name_of(cublasStatus_t status) {
  const StatusText* row = row_of(status);
  return row ? row->name : "unknown status";
}

cublasStatus_t status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return CUBLAS_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation: return CUBLAS_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue: return CUBLAS_STATUS_INVALID_VALUE;
    default: return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

const char* name_in_source(const char* function) {
  static auto& mutex = *new std::mutex;
  static auto& names = *new std::set<std::string>;
  std::string name = function;
  for (const std::string_view ending : {"_64", "_v2"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  const std::lock_guard lock(mutex);
  return names.insert(std::move(name)).first->c_str();
}

namespace {

template <class Body>
cublasStatus_t with_handle(const char* function, cublasHandle_t handle, const void* result, Body&& body) {
  using runtime::LibraryFailure;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  LibraryFailure why;
  if (!is_handle(handle))
    status = CUBLAS_STATUS_NOT_INITIALIZED, why = {LibraryFailure::kNull, "handle"};
  else if (!result)
    status = CUBLAS_STATUS_INVALID_VALUE, why = {LibraryFailure::kNull, "result"};
  if (status != CUBLAS_STATUS_SUCCESS)
    __cudalabLibraryFailed(name_in_source(function), name_of(status), why);
  else
    body(*handle);
  return status;
}

template <class T>
cublasStatus_t set(const char* function, cublasHandle_t handle, T cublasContext::*member, T value) {
  return with_handle(function, handle, &value, [=](cublasContext& context) { context.*member = value; });
}

template <class T>
cublasStatus_t get(const char* function, cublasHandle_t handle, T cublasContext::*member, T* value) {
  return with_handle(function, handle, value, [=](cublasContext& context) { *value = context.*member; });
}

}  // namespace
}  // namespace cudalab::blas

using namespace cudalab::blas;

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (!handle) {
    __cudalabLibraryFailed("cublasCreate", name_of(CUBLAS_STATUS_INVALID_VALUE),
                           {cudalab::runtime::LibraryFailure::kNull, "handle"});
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  const std::lock_guard lock(handles().mutex);
  handles().all.insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!is_handle(handle)) {
    __cudalabLibraryFailed("cublasDestroy", name_of(CUBLAS_STATUS_NOT_INITIALIZED),
                           {cudalab::runtime::LibraryFailure::kNull, "handle"});
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  cudaDeviceSynchronize();  // as cuBLAS does
  const std::lock_guard lock(handles().mutex);
  handles().all.erase(handle);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  return with_handle(__func__, handle, version, [=](cublasContext&) { *version = CUBLAS_VERSION; });
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = kParts[type];
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion() { return CUDART_VERSION; }

const char* cublasGetStatusName(cublasStatus_t status) { return name_of(status); }
const char* cublasGetStatusString(cublasStatus_t status) {
  const StatusText* row = row_of(status);
  return row ? row->text : "unknown status";
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return set(__func__, handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get(__func__, handle, &cublasContext::stream, stream);
}
// Accepted and ignored: no function here needs a workspace.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
  return with_handle(__func__, handle, handle, [](cublasContext&) {});
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return set(__func__, handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(__func__, handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(__func__, handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get(__func__, handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(__func__, handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(__func__, handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return set(__func__, handle, &cublasContext::sm_count_target, count);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
  return get(__func__, handle, &cublasContext::sm_count_target, count);
}

#define BLAS_SETTING(Name, type, member)                               \
  cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value) {  \
    return set<type>(__func__, handle, &cublasContext::member, value); \
  }                                                                    \
  cublasStatus_t cublasGet##Name(cublasHandle_t handle, type* value) { \
    return get<type>(__func__, handle, &cublasContext::member, value); \
  }
BLAS_SETTING(EmulationStrategy, cublasEmulationStrategy_t, emulation_strategy)
BLAS_SETTING(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, special_values)
BLAS_SETTING(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl, mantissa_control)
BLAS_SETTING(FixedPointEmulationMaxMantissaBitCount, int, most_mantissa_bits)
BLAS_SETTING(FixedPointEmulationMantissaBitOffset, int, mantissa_bit_offset)
BLAS_SETTING(FixedPointEmulationMantissaBitCountPointer, int*, mantissa_bits)

}  // extern "C"
#pragma GCC visibility pop

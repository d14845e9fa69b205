// cublasXt: products of matrices in host memory. Each call copies its matrices to the first selected GPU,
// calls cuBLAS, copies the result back and waits. Matrices in device memory are used where they are.
#include <cublasXt.h>
#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

#include "libraries/blas/call.h"

// Declared by cuBLAS in the global namespace.
struct cublasXtContext {
  cublasHandle_t blas = nullptr;
  std::vector<int> devices;
  int block_dimension = 2048;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

namespace cudalab::blas {
namespace {

cublasStatus_t refused(const char* call, cublasStatus_t status, const LibraryFailure& why) {
  __cudalabLibraryFailed(call, name_of(status), why);
  return status;
}

bool is_on_device(const void* address) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) return false;
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

// A matrix of the call, in device memory while it runs.
template <class T>
class Staged {
 public:
  Staged(const T* host, std::int64_t rows, std::int64_t columns, std::int64_t leading, bool is_read)
      : host_(const_cast<T*>(host)), memory_(host_), rows_(rows), columns_(columns), leading_(leading) {
    if (rows == 0 || columns == 0 || is_on_device(host)) return;
    copy_leading_ = rows;
    error_ = cudaMalloc(reinterpret_cast<void**>(&memory_), rows * columns * sizeof(T));
    if (error_ != cudaSuccess) memory_ = nullptr;
    if (error_ == cudaSuccess && is_read)
      error_ = cudaMemcpy2D(memory_, bytes(rows), host_, bytes(leading), bytes(rows), columns,
                            cudaMemcpyHostToDevice);
  }
  ~Staged() {
    if (is_copy()) cudaFree(memory_);
  }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

  T* memory() const { return memory_; }
  std::int64_t leading() const { return is_copy() ? copy_leading_ : leading_; }
  cudaError_t error() const { return error_; }
  cudaError_t copy_back() const {
    if (!is_copy()) return cudaDeviceSynchronize();
    return cudaMemcpy2D(host_, bytes(leading_), memory_, bytes(copy_leading_), bytes(rows_), columns_,
                        cudaMemcpyDeviceToHost);
  }

 private:
  bool is_copy() const { return copy_leading_ > 0; }
  static std::size_t bytes(std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(T); }

  T *host_, *memory_;
  std::int64_t rows_, columns_, leading_, copy_leading_ = 0;
  cudaError_t error_ = cudaSuccess;
};

struct XtShape {
  cublasOperation_t transa, transb;
  std::size_t m, n, k;
};

// `multiply`: cuBLAS's function for this type.
template <class T, class Multiply>
cublasStatus_t xt_gemm(const char* call, cublasXtHandle_t handle, const XtShape& shape, const T* alpha,
                       const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta, T* c,
                       std::size_t ldc, const Multiply& multiply) {
  if (!handle) return refused(call, CUBLAS_STATUS_NOT_INITIALIZED, {LibraryFailure::kNull, "handle"});
  if (handle->devices.empty()) return refused(call, CUBLAS_STATUS_NOT_INITIALIZED, {});
  for (const auto& [name, address] :
       {std::pair<const char*, const void*>{"alpha", alpha}, {"A", a}, {"B", b}, {"beta", beta}, {"C", c}})
    if (!address) return refused(call, CUBLAS_STATUS_INVALID_VALUE, {LibraryFailure::kNull, name});
  const bool is_turned_a = shape.transa != CUBLAS_OP_N, is_turned_b = shape.transb != CUBLAS_OP_N;
  const auto m = static_cast<std::int64_t>(shape.m), n = static_cast<std::int64_t>(shape.n),
             k = static_cast<std::int64_t>(shape.k);
  const std::int64_t a_rows = is_turned_a ? k : m, b_rows = is_turned_b ? n : k;
  const std::pair<const char*, std::pair<std::int64_t, std::int64_t>> leadings[] = {
      {"lda", {lda, a_rows}}, {"ldb", {ldb, b_rows}}, {"ldc", {ldc, m}}};
  for (const auto& [name, sizes] : leadings)
    if (sizes.first < sizes.second)
      return refused(call, CUBLAS_STATUS_INVALID_VALUE,
                     {LibraryFailure::kBelow, name, sizes.first, sizes.second});
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(handle->devices.front());
  const bool is_c_read = Value<T>{} != *reinterpret_cast<const Value<T>*>(beta);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  {
    const Staged<T> from(a, a_rows, is_turned_a ? m : k, lda, true),
        by(b, b_rows, is_turned_b ? k : n, ldb, true), to(c, m, n, ldc, is_c_read);
    for (const Staged<T>* each : {&from, &by, &to})
      if (each->error() != cudaSuccess && status == CUBLAS_STATUS_SUCCESS) status = status_of(each->error());
    if (status == CUBLAS_STATUS_SUCCESS)
      status = multiply(handle->blas, shape.transa, shape.transb, m, n, k, alpha, from.memory(),
                        from.leading(), by.memory(), by.leading(), beta, to.memory(), to.leading());
    if (status == CUBLAS_STATUS_SUCCESS) status = status_of(to.copy_back());
  }
  cudaSetDevice(before);
  return status;
}

}  // namespace
}  // namespace cudalab::blas

using namespace cudalab::blas;

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (!handle) return refused(__func__, CUBLAS_STATUS_INVALID_VALUE, {LibraryFailure::kNull, "handle"});
  auto* made = new cublasXtContext;
  const cublasStatus_t status = cublasCreate_v2(&made->blas);
  if (status != CUBLAS_STATUS_SUCCESS) return delete made, status;
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (!handle) return refused(__func__, CUBLAS_STATUS_NOT_INITIALIZED, {LibraryFailure::kNull, "handle"});
  cublasDestroy_v2(handle->blas);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]) {
  if (!handle) return refused(__func__, CUBLAS_STATUS_NOT_INITIALIZED, {LibraryFailure::kNull, "handle"});
  if (!deviceId) return refused(__func__, CUBLAS_STATUS_INVALID_VALUE, {LibraryFailure::kNull, "deviceId"});
  if (nbDevices < 1)
    return refused(__func__, CUBLAS_STATUS_INVALID_VALUE,
                   {LibraryFailure::kBelow, "nbDevices", nbDevices, 1});
  int count = 0;
  cudaGetDeviceCount(&count);
  for (int i = 0; i < nbDevices; ++i)
    if (deviceId[i] < 0 || deviceId[i] >= count)
      return refused(__func__, CUBLAS_STATUS_INVALID_VALUE,
                     {LibraryFailure::kUnknown, "deviceId", deviceId[i]});
  handle->devices.assign(deviceId, deviceId + nbDevices);
  return CUBLAS_STATUS_SUCCESS;
}

// Kept for the program only.
#define XT_SETTING(Name, type, member)                                     \
  cublasStatus_t cublasXtSet##Name(cublasXtHandle_t handle, type value) {  \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                     \
    handle->member = value;                                                \
    return CUBLAS_STATUS_SUCCESS;                                          \
  }                                                                        \
  cublasStatus_t cublasXtGet##Name(cublasXtHandle_t handle, type* value) { \
    if (!handle || !value) return CUBLAS_STATUS_NOT_INITIALIZED;           \
    *value = handle->member;                                               \
    return CUBLAS_STATUS_SUCCESS;                                          \
  }
XT_SETTING(BlockDim, int, block_dimension)
XT_SETTING(PinningMemMode, cublasXtPinnedMemMode_t, pinning)

#define XT_GEMM(letter, T)                                                                              \
  cublasStatus_t cublasXt##letter##gemm(cublasXtHandle_t handle, cublasOperation_t transa,              \
                                        cublasOperation_t transb, size_t m, size_t n, size_t k,         \
                                        const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, \
                                        const T* beta, T* C, size_t ldc) {                              \
    return xt_gemm<T>(__func__, handle, {transa, transb, m, n, k}, alpha, A, lda, B, ldb, beta, C, ldc, \
                      cublas##letter##gemm_v2_64);                                                      \
  }
XT_GEMM(S, float)
XT_GEMM(D, double)
XT_GEMM(C, cuComplex)
XT_GEMM(Z, cuDoubleComplex)

}  // extern "C"
#pragma GCC visibility pop

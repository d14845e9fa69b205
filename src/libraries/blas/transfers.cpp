// The functions of cuBLAS that copy vectors and matrices between host and device, and those that compute a
// rotation from two numbers.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <optional>
#include <utility>

#include "libraries/blas/call.h"

using namespace cudalab::blas;

namespace cudalab::blas {
namespace {

// A copy of `columns` columns of `rows` elements; a strided vector is a matrix with one element per column.
struct Transfer {
  std::int64_t rows, columns, element_bytes;
  const void* from;
  std::int64_t from_leading;
  void* to;
  std::int64_t to_leading;
  const char *from_name, *to_name;  // of the leading dimensions
};

cublasStatus_t transfer(const char* function, const Transfer& copy, cudaMemcpyKind kind,
                        std::optional<cudaStream_t> stream) {
  LibraryFailure why;
  const auto require = [&](bool holds, const LibraryFailure& reason) {
    if (!holds && why.kind == LibraryFailure::kNone) why = reason;
  };
  require(copy.rows >= 0, {LibraryFailure::kNegative, "rows", copy.rows});
  require(copy.columns >= 0, {LibraryFailure::kNegative, "cols", copy.columns});
  require(copy.element_bytes > 0, {LibraryFailure::kBelow, "elemSize", copy.element_bytes, 1});
  require(copy.from_leading >= copy.rows,
          {LibraryFailure::kBelow, copy.from_name, copy.from_leading, copy.rows});
  require(copy.to_leading >= copy.rows, {LibraryFailure::kBelow, copy.to_name, copy.to_leading, copy.rows});
  if (why.kind != LibraryFailure::kNone) {
    __cudalabLibraryFailed(name_in_source(function), name_of(CUBLAS_STATUS_INVALID_VALUE), why);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (copy.rows == 0 || copy.columns == 0) return CUBLAS_STATUS_SUCCESS;
  const std::size_t to_pitch = copy.to_leading * copy.element_bytes,
                    from_pitch = copy.from_leading * copy.element_bytes,
                    width = copy.rows * copy.element_bytes, height = copy.columns;
  const cudaError_t error =
      stream ? cudaMemcpy2DAsync(copy.to, to_pitch, copy.from, from_pitch, width, height, kind, *stream)
             : cudaMemcpy2D(copy.to, to_pitch, copy.from, from_pitch, width, height, kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t copy_vector(const char* function, std::int64_t n, std::int64_t bytes, const void* x,
                           std::int64_t incx, void* y, std::int64_t incy, cudaMemcpyKind kind,
                           std::optional<cudaStream_t> stream = {}) {
  // A vector without gaps is one column, so one row of a 2D copy.
  const bool is_dense = incx == 1 && incy == 1;
  if (is_dense) return transfer(function, {n, 1, bytes, x, n, y, n, "incx", "incy"}, kind, stream);
  return transfer(function, {1, n, bytes, x, incx, y, incy, "incx", "incy"}, kind, stream);
}

// ---- rotations -----------------------------------------------------------------------------------------

// Reads and writes four numbers in host memory or, with CUBLAS_POINTER_MODE_DEVICE, in device memory.
template <class T>
cublasStatus_t rotg(Entry entry, void* a, void* b, void* c, void* s, void (*compute)(T&, T&, Real<T>&, T&)) {
  Call call(entry);
  const void* addresses[] = {a, b, c, s};
  constexpr const char* kNames[] = {"a", "b", "c", "s"};
  for (int i = 0; i < 4; ++i) call.pointer(kNames[i], addresses[i]);
  if (!call.is_valid()) return call.finish(nullptr);
  if (!call.has_factors_on_device()) {
    compute(*static_cast<T*>(a), *static_cast<T*>(b), *static_cast<Real<T>*>(c), *static_cast<T*>(s));
    return CUBLAS_STATUS_SUCCESS;
  }
  for (int i = 0; i < 4; ++i)
    call.memory(kNames[i], addresses[i], i == 2 ? sizeof(Real<T>) : sizeof(T), 1, 0,
                i < 2 ? Access::kUpdate : Access::kWrite);
  return call.finish([=](const Reached& reached) {
    compute(*reached.at<T>(0), *reached.at<T>(1), *reached.at<Real<T>>(2), *reached.at<T>(3));
  });
}

// As in the reference BLAS: `a` gets r, and `b` gets the number z, from which c and s can be reconstructed.
template <class T>
void real_rotation(T& a, T& b, T& c, T& s) {
  const T scale = std::abs(a) + std::abs(b);
  if (scale == 0) {
    c = 1, s = a = b = 0;
    return;
  }
  const T larger = std::abs(a) > std::abs(b) ? a : b;
  const T r = std::copysign(scale * std::hypot(a / scale, b / scale), larger);
  c = a / r;
  s = b / r;
  const T z = std::abs(a) > std::abs(b) ? s : c != 0 ? 1 / c : T(1);
  a = r;
  b = z;
}

template <class T>
void complex_rotation(T& a, T& b, Real<T>& c, T& s) {
  if (std::abs(a) == 0) {
    c = 0, s = 1, a = b;
    return;
  }
  const Real<T> norm = std::hypot(std::abs(a), std::abs(b));
  const T phase = a / std::abs(a);
  c = std::abs(a) / norm;
  s = phase * std::conj(b) / norm;
  a = phase * norm;
}

// The modified rotation that sets the second component of (sqrt(d1) x1, sqrt(d2) y1) to 0, as in the
// reference BLAS. param[0] is the flag; it states which elements of H = (h11 h12; h21 h22) the others are.
template <class T>
void modified_rotation(T& d1, T& d2, T& x1, T y1, T* param) {
  constexpr T kGamma = 4096, kLarge = kGamma * kGamma, kSmall = 1 / kLarge;
  T flag = 0, h11 = 0, h21 = 0, h12 = 0, h22 = 0;
  const auto give_up = [&] { flag = -1, h11 = h21 = h12 = h22 = d1 = d2 = x1 = 0; };
  const T p2 = d2 * y1, p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
  if (d1 < 0) {
    give_up();
  } else if (p2 == 0) {
    param[0] = -2;
    return;
  } else if (std::abs(q1) > std::abs(q2)) {
    h21 = -y1 / x1, h12 = p2 / p1;
    const T u = 1 - h12 * h21;
    if (u > 0)
      d1 /= u, d2 /= u, x1 *= u;
    else
      give_up();
  } else if (q2 < 0) {
    give_up();
  } else {
    flag = 1, h11 = p1 / p2, h22 = x1 / y1;
    const T u = 1 + h11 * h22, old = d1;
    d1 = d2 / u, d2 = old / u, x1 = y1 * u;
  }
  const auto all_elements = [&] {
    if (flag == 0) h11 = h22 = 1;
    if (flag == 1) h21 = -1, h12 = 1;
    flag = -1;
  };
  // Keeps d1 and d2 within [kSmall, kLarge].
  const auto rescale = [&](T& d, T& first, T& second, T* x) {
    while (d != 0 && (std::abs(d) <= kSmall || std::abs(d) >= kLarge)) {
      all_elements();
      const T by = std::abs(d) <= kSmall ? kGamma : 1 / kGamma;
      d *= by * by, first /= by, second /= by;
      if (x) *x /= by;
    }
  };
  rescale(d1, h11, h12, &x1);
  rescale(d2, h21, h22, nullptr);
  param[0] = flag;
  if (flag == -1) param[1] = h11, param[2] = h21, param[3] = h12, param[4] = h22;
  if (flag == 0) param[2] = h21, param[3] = h12;
  if (flag == 1) param[1] = h11, param[4] = h22;
}

template <class T>
cublasStatus_t rotmg(Entry entry, T* d1, T* d2, T* x1, const T* y1, T* param) {
  Call call(entry);
  const std::pair<const char*, const T*> given[] = {
      {"d1", d1}, {"d2", d2}, {"x1", x1}, {"y1", y1}, {"param", param}};
  for (const auto& [name, address] : given) call.pointer(name, address);
  if (!call.is_valid()) return call.finish(nullptr);
  if (!call.has_factors_on_device()) {
    modified_rotation(*d1, *d2, *x1, *y1, param);
    return CUBLAS_STATUS_SUCCESS;
  }
  for (const auto& [name, address] : given)
    call.memory(name, address, address == param ? 5 * sizeof(T) : sizeof(T), 1, 0,
                address == y1      ? Access::kRead
                : address == param ? Access::kUpdateInPart
                                   : Access::kUpdate);
  return call.finish([=](const Reached& reached) {
    modified_rotation(*reached.at<T>(0), *reached.at<T>(1), *reached.at<T>(2), *reached.at<T>(3),
                      reached.at<T>(4));
  });
}

}  // namespace
}  // namespace cudalab::blas

#pragma GCC visibility push(default)
extern "C" {

// Defines each function with 32-bit sizes and with 64-bit sizes.
#define BLAS_TRANSFERS(INT, BITS)                                                                            \
  cublasStatus_t cublasSetVector##BITS(INT n, INT elemSize, const void* x, INT incx, void* y, INT incy) {    \
    return copy_vector(__func__, n, elemSize, x, incx, y, incy, cudaMemcpyHostToDevice);                     \
  }                                                                                                          \
  cublasStatus_t cublasGetVector##BITS(INT n, INT elemSize, const void* x, INT incx, void* y, INT incy) {    \
    return copy_vector(__func__, n, elemSize, x, incx, y, incy, cudaMemcpyDeviceToHost);                     \
  }                                                                                                          \
  cublasStatus_t cublasSetVectorAsync##BITS(INT n, INT elemSize, const void* x, INT incx, void* y, INT incy, \
                                            cudaStream_t stream) {                                           \
    return copy_vector(__func__, n, elemSize, x, incx, y, incy, cudaMemcpyHostToDevice, stream);             \
  }                                                                                                          \
  cublasStatus_t cublasGetVectorAsync##BITS(INT n, INT elemSize, const void* x, INT incx, void* y, INT incy, \
                                            cudaStream_t stream) {                                           \
    return copy_vector(__func__, n, elemSize, x, incx, y, incy, cudaMemcpyDeviceToHost, stream);             \
  }                                                                                                          \
  cublasStatus_t cublasSetMatrix##BITS(INT rows, INT cols, INT elemSize, const void* A, INT lda, void* B,    \
                                       INT ldb) {                                                            \
    return transfer(__func__, {rows, cols, elemSize, A, lda, B, ldb, "lda", "ldb"}, cudaMemcpyHostToDevice,  \
                    {});                                                                                     \
  }                                                                                                          \
  cublasStatus_t cublasGetMatrix##BITS(INT rows, INT cols, INT elemSize, const void* A, INT lda, void* B,    \
                                       INT ldb) {                                                            \
    return transfer(__func__, {rows, cols, elemSize, A, lda, B, ldb, "lda", "ldb"}, cudaMemcpyDeviceToHost,  \
                    {});                                                                                     \
  }                                                                                                          \
  cublasStatus_t cublasSetMatrixAsync##BITS(INT rows, INT cols, INT elemSize, const void* A, INT lda,        \
                                            void* B, INT ldb, cudaStream_t stream) {                         \
    return transfer(__func__, {rows, cols, elemSize, A, lda, B, ldb, "lda", "ldb"}, cudaMemcpyHostToDevice,  \
                    stream);                                                                                 \
  }                                                                                                          \
  cublasStatus_t cublasGetMatrixAsync##BITS(INT rows, INT cols, INT elemSize, const void* A, INT lda,        \
                                            void* B, INT ldb, cudaStream_t stream) {                         \
    return transfer(__func__, {rows, cols, elemSize, A, lda, B, ldb, "lda", "ldb"}, cudaMemcpyDeviceToHost,  \
                    stream);                                                                                 \
  }
BLAS_TRANSFERS(int, )
BLAS_TRANSFERS(int64_t, _64)

#define BLAS_ROTG(letter, type, compute)                                                           \
  cublasStatus_t cublas##letter##rotg_v2(cublasHandle_t handle, type* a, type* b, BLAS_REAL_OF* c, \
                                         type* s) {                                                \
    return rotg<Value<type>>({__func__, handle}, a, b, c, s, compute<Value<type>>);                \
  }
#define BLAS_REAL_OF float
BLAS_ROTG(S, float, real_rotation)
BLAS_ROTG(C, cuComplex, complex_rotation)
#undef BLAS_REAL_OF
#define BLAS_REAL_OF double
BLAS_ROTG(D, double, real_rotation)
BLAS_ROTG(Z, cuDoubleComplex, complex_rotation)
#undef BLAS_REAL_OF

cublasStatus_t cublasSrotmg_v2(cublasHandle_t handle, float* d1, float* d2, float* x1, const float* y1,
                               float* param) {
  return rotmg<float>({__func__, handle}, d1, d2, x1, y1, param);
}
cublasStatus_t cublasDrotmg_v2(cublasHandle_t handle, double* d1, double* d2, double* x1, const double* y1,
                               double* param) {
  return rotmg<double>({__func__, handle}, d1, d2, x1, y1, param);
}

}  // extern "C"
#pragma GCC visibility pop

// Functions of level 1 whose types are run-time values: cublasAxpyEx, DotEx, DotcEx, Nrm2Ex, RotEx, ScalEx.
#include <cublas_v2.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "libraries/blas/level1.h"

using namespace cudalab::blas;

namespace cudalab::blas {
namespace {

// A row of the tables of types in cuBLAS's documentation. The elements of x and y have the same type.
// `scalar`: of alpha, of c and s, or of the result.
template <class Function>
struct TypedFunction {
  cudaDataType element, scalar, execution;
  Function function;
};

using complex_float = std::complex<float>;
using complex_double = std::complex<double>;
using Binary = cublasStatus_t (*)(Entry, std::int64_t, const void*, std::int64_t, const void*, std::int64_t,
                                  void*);

constexpr TypedFunction<cublasStatus_t (*)(Entry, std::int64_t, const void*, const void*, std::int64_t, void*,
                                           std::int64_t)>
    kAxpy[] = {
        {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, axpy<Half>},
        {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, axpy<Bfloat16>},
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, axpy<float>},
        {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, axpy<double>},
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, axpy<complex_float>},
        {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, axpy<complex_double>},
};
constexpr TypedFunction<std::pair<Binary, Binary>> kDot[] = {
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, {dot<Half>, dotc<Half>}},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, {dot<Bfloat16>, dotc<Bfloat16>}},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, {dot<float>, dotc<float>}},
    {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, {dot<double>, dotc<double>}},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, {dot<complex_float>, dotc<complex_float>}},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, {dot<complex_double>, dotc<complex_double>}},
};
template <class T>
cublasStatus_t norm(Entry entry, std::int64_t n, const void* x, std::int64_t incx, void* result) {
  return nrm2<T>(entry, n, x, incx, static_cast<Real<T>*>(result));
}
constexpr TypedFunction<cublasStatus_t (*)(Entry, std::int64_t, const void*, std::int64_t, void*)> kNrm2[] = {
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, norm<Half>},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, norm<Bfloat16>},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, norm<float>},
    {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, norm<double>},
    {CUDA_C_32F, CUDA_R_32F, CUDA_R_32F, norm<complex_float>},
    {CUDA_C_64F, CUDA_R_64F, CUDA_R_64F, norm<complex_double>},
};
constexpr TypedFunction<cublasStatus_t (*)(Entry, std::int64_t, void*, std::int64_t, void*, std::int64_t,
                                           const void*, const void*)>
    kRot[] = {
        {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, rot<Half>},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, rot<Bfloat16>},
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, rot<float>},
        {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, rot<double>},
        {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, rot_by_real<complex_float>},
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, rot<complex_float>},
        {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, rot_by_real<complex_double>},
        {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, rot<complex_double>},
};
constexpr TypedFunction<cublasStatus_t (*)(Entry, std::int64_t, const void*, void*, std::int64_t)> kScal[] = {
    {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, scal<Half>},
    {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, scal<Bfloat16>},
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, scal<float>},
    {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, scal<double>},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, scal<complex_float>},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, scal<complex_double>},
};

struct VectorTypes {
  cudaDataType x, y, scalar, execution;
};

// Calls body(function) for the row with these types. Types that no row has are reported.
template <class Function, std::size_t Count, class Body>
cublasStatus_t with_types(const TypedFunction<Function> (&table)[Count], Entry entry,
                          const VectorTypes& types, const Body& body) {
  const auto* row = std::ranges::find_if(table, [&](const TypedFunction<Function>& one) {
    return one.element == types.x && types.x == types.y && one.scalar == types.scalar &&
           one.execution == types.execution;
  });
  if (row != std::end(table)) return body(row->function);
  Call call(entry);
  call.require(false, {LibraryFailure::kUnsupported}, CUBLAS_STATUS_NOT_SUPPORTED);
  return call.finish(nullptr);
}

}  // namespace
}  // namespace cudalab::blas

#pragma GCC visibility push(default)
extern "C" {

// Defines each function with 32-bit sizes and with 64-bit sizes.
#define BLAS_VECTOR_EX(INT, BITS)                                                                            \
  cublasStatus_t cublasAxpyEx##BITS(cublasHandle_t handle, INT n, const void* alpha, cudaDataType alphaType, \
                                    const void* x, cudaDataType xType, INT incx, void* y,                    \
                                    cudaDataType yType, INT incy, cudaDataType executiontype) {              \
    const Entry entry{__func__, handle};                                                                     \
    return with_types(kAxpy, entry, {xType, yType, alphaType, executiontype},                                \
                      [&](auto function) { return function(entry, n, alpha, x, incx, y, incy); });           \
  }                                                                                                          \
  cublasStatus_t cublasDotEx##BITS(cublasHandle_t handle, INT n, const void* x, cudaDataType xType,          \
                                   INT incx, const void* y, cudaDataType yType, INT incy, void* result,      \
                                   cudaDataType resultType, cudaDataType executionType) {                    \
    const Entry entry{__func__, handle};                                                                     \
    return with_types(kDot, entry, {xType, yType, resultType, executionType}, [&](const auto& functions) {   \
      return functions.first(entry, n, x, incx, y, incy, result);                                            \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublasDotcEx##BITS(cublasHandle_t handle, INT n, const void* x, cudaDataType xType,         \
                                    INT incx, const void* y, cudaDataType yType, INT incy, void* result,     \
                                    cudaDataType resultType, cudaDataType executionType) {                   \
    const Entry entry{__func__, handle};                                                                     \
    return with_types(kDot, entry, {xType, yType, resultType, executionType}, [&](const auto& functions) {   \
      return functions.second(entry, n, x, incx, y, incy, result);                                           \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublasNrm2Ex##BITS(cublasHandle_t handle, INT n, const void* x, cudaDataType xType,         \
                                    INT incx, void* result, cudaDataType resultType,                         \
                                    cudaDataType executionType) {                                            \
    const Entry entry{__func__, handle};                                                                     \
    return with_types(kNrm2, entry, {xType, xType, resultType, executionType},                               \
                      [&](auto function) { return function(entry, n, x, incx, result); });                   \
  }                                                                                                          \
  cublasStatus_t cublasRotEx##BITS(cublasHandle_t handle, INT n, void* x, cudaDataType xType, INT incx,      \
                                   void* y, cudaDataType yType, INT incy, const void* c, const void* s,      \
                                   cudaDataType csType, cudaDataType executiontype) {                        \
    const Entry entry{__func__, handle};                                                                     \
    return with_types(kRot, entry, {xType, yType, csType, executiontype},                                    \
                      [&](auto function) { return function(entry, n, x, incx, y, incy, c, s); });            \
  }                                                                                                          \
  cublasStatus_t cublasScalEx##BITS(cublasHandle_t handle, INT n, const void* alpha, cudaDataType alphaType, \
                                    void* x, cudaDataType xType, INT incx, cudaDataType executionType) {     \
    const Entry entry{__func__, handle};                                                                     \
    return with_types(kScal, entry, {xType, xType, alphaType, executionType},                                \
                      [&](auto function) { return function(entry, n, alpha, x, incx); });                    \
  }
BLAS_VECTOR_EX(int, )
BLAS_VECTOR_EX(int64_t, _64)

}  // extern "C"
#pragma GCC visibility pop

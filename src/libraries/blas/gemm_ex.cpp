// Matrix multiplications whose types are run-time values (cublasGemmEx and its batched forms), and those of
// half precision.
#include <cublas_v2.h>

#include <algorithm>
#include <iterator>

#include "libraries/blas/level3.h"

using namespace cudalab::blas;

namespace cudalab::blas {
namespace {

using GemmCall = cublasStatus_t (*)(Call&, const GemmShape&, GemmUnit, const void*, const Batched&,
                                    const Batched&, const void*, const Batched&);

// The combinations of types in cublasGemmEx's documentation. A and B have the same type.
struct Combination {
  cublasComputeType_t compute;
  cudaDataType in, out;
  GemmCall call;
  LibraryUnit unit;
  double factor = 1;  // see GemmUnit
};

using complex_float = std::complex<float>;
using complex_double = std::complex<double>;
constexpr auto kTensor = LibraryUnit::kTensor;
constexpr Combination kCombinations[] = {
    {CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, gemm_call<GemmTypes<Half, Half, Half, float>>, kTensor},
    {CUBLAS_COMPUTE_32I, CUDA_R_8I, CUDA_R_32I,
     gemm_call<GemmTypes<std::int8_t, std::int32_t, std::int32_t, double>>, kTensor, 0.5},
    {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF, gemm_call<GemmTypes<Bfloat16, Bfloat16, float, float>>,
     kTensor},
    {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F, gemm_call<GemmTypes<Half, Half, float, float>>, kTensor},
    {CUBLAS_COMPUTE_32F, CUDA_R_8I, CUDA_R_32F, gemm_call<GemmTypes<std::int8_t, float, float, double>>,
     kTensor, 0.5},
    {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F, gemm_call<GemmTypes<Bfloat16, float, float, float>>,
     kTensor},
    {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, gemm_call<GemmTypes<Half, float, float, float>>, kTensor},
    {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, gemm_call<PlainTypes<float>>, LibraryUnit::kFp32},
    {CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, gemm_call<PlainTypes<complex_float>>, LibraryUnit::kFp32},
    {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, gemm_call<PlainTypes<double>>, LibraryUnit::kFp64Tensor},
    {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, gemm_call<PlainTypes<complex_double>>,
     LibraryUnit::kFp64Tensor},
};

// A compute type: its row of kCombinations, and how float inputs are rounded.
struct ComputeKind {
  cublasComputeType_t type, base;
  GemmUnit fast{};
};
constexpr ComputeKind kKinds[] = {
    {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F},
    {CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_16F},
    {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I},
    {CUBLAS_COMPUTE_32I_PEDANTIC, CUBLAS_COMPUTE_32I},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F},
    {CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F},
    {CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F, {kTensor, 1, Rounding::kHalf}},
    {CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F, {kTensor, 1, Rounding::kBfloat16}},
    {CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F, {kTensor, 2, Rounding::kTf32}},
    {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F},
    {CUBLAS_COMPUTE_64F_PEDANTIC, CUBLAS_COMPUTE_64F},
};

struct ElementTypes {
  cudaDataType a, b, c;
};

cublasStatus_t gemm_of_types(Call& call, const GemmShape& shape, const ElementTypes& types,
                             cublasComputeType_t compute, const void* alpha, const Batched& a,
                             const Batched& b, const void* beta, const Batched& c) {
  const auto* kind = std::ranges::find(kKinds, compute, &ComputeKind::type);
  call.require(kind != std::end(kKinds), {LibraryFailure::kUnsupported}, CUBLAS_STATUS_NOT_SUPPORTED);
  const auto* row = std::ranges::find_if(kCombinations, [&](const Combination& one) {
    return kind != std::end(kKinds) && one.compute == kind->base && one.in == types.a && types.a == types.b &&
           one.out == types.c;
  });
  call.require(row != std::end(kCombinations), {LibraryFailure::kUnsupported}, CUBLAS_STATUS_NOT_SUPPORTED);
  if (!call.is_valid()) return call.finish(nullptr);
  GemmUnit unit{row->unit, row->factor};
  const bool is_float = types.a == CUDA_R_32F || types.a == CUDA_C_32F;
  if (is_float && kind->fast.unit == kTensor) unit = kind->fast;
  if (is_float && compute == CUBLAS_COMPUTE_32F && unit_of_mode(call.context().math_mode).unit == kTensor)
    unit = unit_of_mode(call.context().math_mode);
  return row->call(call, shape, unit, alpha, a, b, beta, c);
}

}  // namespace
}  // namespace cudalab::blas

#pragma GCC visibility push(default)
extern "C" {

// Defines each function with 32-bit sizes and with 64-bit sizes.
#define BLAS_EX_FUNCTIONS(INT, BITS)                                                                         \
  cublasStatus_t cublasHgemm##BITS(cublasHandle_t handle, cublasOperation_t transa,                          \
                                   cublasOperation_t transb, INT m, INT n, INT k, const __half* alpha,       \
                                   const __half* A, INT lda, const __half* B, INT ldb, const __half* beta,   \
                                   __half* C, INT ldc) {                                                     \
    return gemm<Half>({__func__, handle}, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);     \
  }                                                                                                          \
  cublasStatus_t cublasHgemmBatched##BITS(                                                                   \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n, INT k,        \
      const __half* alpha, const __half* const Aarray[], INT lda, const __half* const Barray[], INT ldb,     \
      const __half* beta, __half* const Carray[], INT ldc, INT batchCount) {                                 \
    return gemm_batched<Half>({__func__, handle}, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb,  \
                              beta, Carray, ldc, batchCount);                                                \
  }                                                                                                          \
  cublasStatus_t cublasHgemmStridedBatched##BITS(                                                            \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n, INT k,        \
      const __half* alpha, const __half* A, INT lda, long long int strideA, const __half* B, INT ldb,        \
      long long int strideB, const __half* beta, __half* C, INT ldc, long long int strideC,                  \
      INT batchCount) {                                                                                      \
    return gemm_strided_batched<Half>({__func__, handle}, transa, transb, m, n, k, alpha, A, lda, strideA,   \
                                      B, ldb, strideB, beta, C, ldc, strideC, batchCount);                   \
  }                                                                                                          \
  cublasStatus_t cublasGemmEx##BITS(                                                                         \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n, INT k,        \
      const void* alpha, const void* A, cudaDataType Atype, INT lda, const void* B, cudaDataType Btype,      \
      INT ldb, const void* beta, void* C, cudaDataType Ctype, INT ldc, cublasComputeType_t computeType,      \
      cublasGemmAlgo_t) {                                                                                    \
    Call call({__func__, handle});                                                                           \
    return gemm_of_types(call, {transa, transb, m, n, k, lda, ldb, ldc}, {Atype, Btype, Ctype}, computeType, \
                         alpha, {A}, {B}, beta, {C});                                                        \
  }                                                                                                          \
  cublasStatus_t cublasGemmBatchedEx##BITS(                                                                  \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n, INT k,        \
      const void* alpha, const void* const Aarray[], cudaDataType Atype, INT lda,                            \
      const void* const Barray[], cudaDataType Btype, INT ldb, const void* beta, void* const Carray[],       \
      cudaDataType Ctype, INT ldc, INT batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t) {      \
    Call call({__func__, handle});                                                                           \
    return gemm_of_types(call, {transa, transb, m, n, k, lda, ldb, ldc, batchCount}, {Atype, Btype, Ctype},  \
                         computeType, alpha, {Aarray, 0, true}, {Barray, 0, true}, beta, {Carray, 0, true}); \
  }                                                                                                          \
  cublasStatus_t cublasGemmStridedBatchedEx##BITS(                                                           \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n, INT k,        \
      const void* alpha, const void* A, cudaDataType Atype, INT lda, long long int strideA, const void* B,   \
      cudaDataType Btype, INT ldb, long long int strideB, const void* beta, void* C, cudaDataType Ctype,     \
      INT ldc, long long int strideC, INT batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t) {   \
    Call call({__func__, handle});                                                                           \
    return gemm_of_types(call, {transa, transb, m, n, k, lda, ldb, ldc, batchCount}, {Atype, Btype, Ctype},  \
                         computeType, alpha, {A, strideA}, {B, strideB}, beta, {C, strideC});                \
  }                                                                                                          \
  cublasStatus_t cublasSgemmEx##BITS(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n, INT k,        \
      const float* alpha, const void* A, cudaDataType Atype, INT lda, const void* B, cudaDataType Btype,     \
      INT ldb, const float* beta, void* C, cudaDataType Ctype, INT ldc) {                                    \
    Call call({__func__, handle});                                                                           \
    return gemm_of_types(call, {transa, transb, m, n, k, lda, ldb, ldc}, {Atype, Btype, Ctype},              \
                         CUBLAS_COMPUTE_32F, alpha, {A}, {B}, beta, {C});                                    \
  }
BLAS_EX_FUNCTIONS(int, )
BLAS_EX_FUNCTIONS(int64_t, _64)

}  // extern "C"
#pragma GCC visibility pop

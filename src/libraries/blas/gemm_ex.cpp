// Matrix multiplications whose types are run-time values (cublasGemmEx, its batched and grouped forms, and
// updates of rank k), and those of half precision.
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
    // Emulation is at least as exact as what it emulates.
    {CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUBLAS_COMPUTE_32F},
    {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_COMPUTE_64F},
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

// ---- groups: batches of several shapes -----------------------------------------------------------------

// The arrays that describe the groups, in host memory: one value per group.
template <class Int>
struct Groups {
  const cublasOperation_t *transa, *transb;
  const Int *m, *n, *k;
  const void* alpha;
  const Int* lda;
  const Int* ldb;
  const void* beta;
  const Int* ldc;
  Int count;
  const Int* sizes;
};

// The addresses of all matrices, in device memory, one group after the other.
struct MatrixArrays {
  const void *a, *b, *c;
};

std::size_t bytes_of_scale(cublasComputeType_t compute, cudaDataType out) {
  const bool is_double = out == CUDA_R_64F || out == CUDA_C_64F;
  const std::size_t real = is_double ? sizeof(double) : sizeof(float);
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return sizeof(Half);
  return out == CUDA_C_32F || out == CUDA_C_64F ? 2 * real : real;
}

// Each group is a batched multiplication, and a row of the report.
template <class Int>
cublasStatus_t gemm_of_groups(Entry entry, const Groups<Int>& groups, const ElementTypes& types,
                              cublasComputeType_t compute, const MatrixArrays& arrays) {
  const std::size_t scale = bytes_of_scale(compute, types.c);
  const auto from = [](const void* array, std::int64_t offset) {
    return static_cast<const void*>(static_cast<const void* const*>(array) + offset);
  };
  Call checked(entry);
  checked.size("group_count", groups.count);
  std::pair<const char*, const void*> const given[] = {
      {"transa_array", groups.transa}, {"transb_array", groups.transb}, {"m_array", groups.m},
      {"n_array", groups.n},           {"k_array", groups.k},           {"alpha_array", groups.alpha},
      {"lda_array", groups.lda},       {"ldb_array", groups.ldb},       {"beta_array", groups.beta},
      {"ldc_array", groups.ldc},       {"group_size", groups.sizes}};
  for (const auto& [parameter, address] : given) checked.pointer(parameter, address);
  if (const cublasStatus_t status = checked.finish(nullptr); status != CUBLAS_STATUS_SUCCESS) return status;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < groups.count; first += groups.sizes[i++]) {
    Call call(entry);
    const GemmShape shape{groups.transa[i], groups.transb[i], groups.m[i],   groups.n[i],    groups.k[i],
                          groups.lda[i],    groups.ldb[i],    groups.ldc[i], groups.sizes[i]};
    const auto factor = [&](const void* array) { return static_cast<const std::byte*>(array) + i * scale; };
    const cublasStatus_t status = gemm_of_types(
        call, shape, types, compute, factor(groups.alpha), {from(arrays.a, first), 0, true},
        {from(arrays.b, first), 0, true}, factor(groups.beta), {from(arrays.c, first), 0, true});
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// ---- updates of rank k ---------------------------------------------------------------------------------

// cublasCsyrkEx and cublasCherkEx, and their 3m forms: C is complex<float>, and A is that or complex int8.
// S: the type of alpha and beta.
template <class S>
cublasStatus_t rank_k_of_types(Entry entry, const RankShape& shape, const void* alpha, const void* a,
                               cudaDataType a_type, const void* beta, void* c, cudaDataType c_type) {
  Call call(entry);
  call.require((a_type == CUDA_C_32F || a_type == CUDA_C_8I) && c_type == CUDA_C_32F,
               {LibraryFailure::kUnsupported}, CUBLAS_STATUS_NOT_SUPPORTED);
  return a_type == CUDA_C_8I
             ? rank_k_call<complex_float, S, std::complex<std::int8_t>>(call, shape, alpha, a, beta, c)
             : rank_k_call<complex_float, S>(call, shape, alpha, a, beta, c);
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
#define BLAS_RANK_K_EX(INT, BITS, name, scalar, hermitian)                                                   \
  cublasStatus_t name##BITS(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, INT n,    \
                            INT k, const scalar* alpha, const void* A, cudaDataType Atype, INT lda,          \
                            const scalar* beta, void* C, cudaDataType Ctype, INT ldc) {                      \
    return rank_k_of_types<Value<scalar>>({__func__, handle}, {hermitian, uplo, trans, n, k, lda, lda, ldc}, \
                                          alpha, A, Atype, beta, C, Ctype);                                  \
  }
#define BLAS_GROUPED_PARAMETERS(INT, T)                                                                  \
  cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], \
      const INT m_array[], const INT n_array[], const INT k_array[], const T alpha_array[],              \
      const T *const Aarray[], const INT lda_array[], const T *const Barray[], const INT ldb_array[],    \
      const T beta_array[], T *const Carray[], const INT ldc_array[], INT group_count,                   \
      const INT group_size[]
#define BLAS_GROUPS                                                                                       \
  {                                                                                                       \
    transa_array, transb_array, m_array, n_array, k_array, alpha_array, lda_array, ldb_array, beta_array, \
        ldc_array, group_count, group_size                                                                \
  }
#define BLAS_FAST_FUNCTIONS(INT, BITS)                                                                       \
  BLAS_RANK_K_EX(INT, BITS, cublasCsyrkEx, cuComplex, false)                                                 \
  BLAS_RANK_K_EX(INT, BITS, cublasCsyrk3mEx, cuComplex, false)                                               \
  BLAS_RANK_K_EX(INT, BITS, cublasCherkEx, float, true)                                                      \
  BLAS_RANK_K_EX(INT, BITS, cublasCherk3mEx, float, true)                                                    \
  cublasStatus_t cublasSgemmGroupedBatched##BITS(BLAS_GROUPED_PARAMETERS(INT, float)) {                      \
    return gemm_of_groups<INT>({__func__, handle}, BLAS_GROUPS, {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},        \
                               CUBLAS_COMPUTE_32F, {Aarray, Barray, Carray});                                \
  }                                                                                                          \
  cublasStatus_t cublasDgemmGroupedBatched##BITS(BLAS_GROUPED_PARAMETERS(INT, double)) {                     \
    return gemm_of_groups<INT>({__func__, handle}, BLAS_GROUPS, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},        \
                               CUBLAS_COMPUTE_64F, {Aarray, Barray, Carray});                                \
  }                                                                                                          \
  cublasStatus_t cublasGemmGroupedBatchedEx##BITS(                                                           \
      cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], \
      const INT m_array[], const INT n_array[], const INT k_array[], const void* alpha_array,                \
      const void* const Aarray[], cudaDataType Atype, const INT lda_array[], const void* const Barray[],     \
      cudaDataType Btype, const INT ldb_array[], const void* beta_array, void* const Carray[],               \
      cudaDataType Ctype, const INT ldc_array[], INT group_count, const INT group_size[],                    \
      cublasComputeType_t computeType) {                                                                     \
    return gemm_of_groups<INT>({__func__, handle}, BLAS_GROUPS, {Atype, Btype, Ctype}, computeType,          \
                               {Aarray, Barray, Carray});                                                    \
  }
BLAS_EX_FUNCTIONS(int, )
BLAS_FAST_FUNCTIONS(int, )
BLAS_FAST_FUNCTIONS(int64_t, _64)
BLAS_EX_FUNCTIONS(int64_t, _64)

}  // extern "C"
#pragma GCC visibility pop

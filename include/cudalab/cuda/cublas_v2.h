// cuBLAS for programs that are built without a CUDA Toolkit: types and functions as the cuBLAS documentation
// declares them. cudalab's libcublas implements them.
#pragma once

#include <stdint.h>

#include "cuComplex.h"
#include "driver_types.h"
#include "library_types.h"
#if defined(__CUDA__)
#include "cuda_fp16.h"
#else
struct __half;
#endif

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
// Every algorithm computes the same here.
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
  CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
  CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
  CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
  CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;
typedef cudaDataType cublasDataType_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
  CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

struct cublasContext;
typedef struct cublasContext* cublasHandle_t;

#if defined(__cplusplus)
extern "C" {
#endif

// ---- handles -------------------------------------------------------------------------------------------
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
size_t cublasGetCudartVersion(void);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* streamId);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t workspaceSizeInBytes);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* smCountTarget);

// ---- copies of vectors and matrices --------------------------------------------------------------------
cublasStatus_t cublasSetVector(int n, int elemSize, const void* x, int incx, void* devicePtr, int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void* x, int incx, void* y, int incy);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void* hostPtr, int incx, void* devicePtr, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void* devicePtr, int incx, void* hostPtr, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void* A, int lda, void* B, int ldb,
                                    cudaStream_t stream);

// ---- rotations that are computed at once ---------------------------------------------------------------
cublasStatus_t cublasSrotg_v2(cublasHandle_t handle, float* a, float* b, float* c, float* s);
cublasStatus_t cublasDrotg_v2(cublasHandle_t handle, double* a, double* b, double* c, double* s);
cublasStatus_t cublasCrotg_v2(cublasHandle_t handle, cuComplex* a, cuComplex* b, float* c, cuComplex* s);
cublasStatus_t cublasZrotg_v2(cublasHandle_t handle, cuDoubleComplex* a, cuDoubleComplex* b, double* c,
                              cuDoubleComplex* s);
cublasStatus_t cublasSrotmg_v2(cublasHandle_t handle, float* d1, float* d2, float* x1, const float* y1, float* param);
cublasStatus_t cublasDrotmg_v2(cublasHandle_t handle, double* d1, double* d2, double* x1, const double* y1,
                               double* param);

// ---- functions of all types ----------------------------------------------------------------------------
#define BLAS_JOINED(letters, name, ending, bits) cublas##letters##name##ending##bits
#define BLAS_NAME(letters, name, ending, bits) BLAS_JOINED(letters, name, ending, bits)
#define BLAS_FUNCTION(letters, name, ending, meaning, parameters, arguments) \
  cublasStatus_t BLAS_NAME(letters, name, ending, BLAS_BITS) parameters;
#include "detail/cublas_sizes.inc"
#undef BLAS_FUNCTION
#undef BLAS_NAME
#undef BLAS_JOINED

// ---- products of half precision and of types that are values -------------------------------------------
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const struct __half* alpha, const struct __half* A, int lda, const struct __half* B,
                           int ldb, const struct __half* beta, struct __half* C, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const struct __half* alpha, const struct __half* const Aarray[],
                                  int lda, const struct __half* const Barray[], int ldb, const struct __half* beta,
                                  struct __half* const Carray[], int ldc, int batchCount);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const struct __half* alpha, const struct __half* A,
                                         int lda, long long int strideA, const struct __half* B, int ldb,
                                         long long int strideB, const struct __half* beta, struct __half* C, int ldc,
                                         long long int strideC, int batchCount);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                            cudaDataType Btype, int ldb, const void* beta, void* C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* const Aarray[], cudaDataType Atype,
                                   int lda, const void* const Barray[], cudaDataType Btype, int ldb,
                                   const void* beta, void* const Carray[], cudaDataType Ctype, int ldc,
                                   int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* A, cudaDataType Atype,
                                          int lda, long long int strideA, const void* B, cudaDataType Btype, int ldb,
                                          long long int strideB, const void* beta, void* C, cudaDataType Ctype,
                                          int ldc, long long int strideC, int batchCount,
                                          cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                             cudaDataType Btype, int ldb, const float* beta, void* C, cudaDataType Ctype, int ldc);

// ---- vectors of types that are values ------------------------------------------------------------------
#define BLAS_EX_VECTORS(INT, BITS)                                                                                \
  cublasStatus_t cublasAxpyEx##BITS(cublasHandle_t handle, INT n, const void* alpha, cudaDataType alphaType,      \
                                    const void* x, cudaDataType xType, INT incx, void* y, cudaDataType yType,     \
                                    INT incy, cudaDataType executiontype);                                        \
  cublasStatus_t cublasDotEx##BITS(cublasHandle_t handle, INT n, const void* x, cudaDataType xType, INT incx,     \
                                   const void* y, cudaDataType yType, INT incy, void* result,                     \
                                   cudaDataType resultType, cudaDataType executionType);                          \
  cublasStatus_t cublasDotcEx##BITS(cublasHandle_t handle, INT n, const void* x, cudaDataType xType, INT incx,    \
                                    const void* y, cudaDataType yType, INT incy, void* result,                    \
                                    cudaDataType resultType, cudaDataType executionType);                         \
  cublasStatus_t cublasNrm2Ex##BITS(cublasHandle_t handle, INT n, const void* x, cudaDataType xType, INT incx,    \
                                    void* result, cudaDataType resultType, cudaDataType executionType);           \
  cublasStatus_t cublasRotEx##BITS(cublasHandle_t handle, INT n, void* x, cudaDataType xType, INT incx, void* y,  \
                                   cudaDataType yType, INT incy, const void* c, const void* s,                    \
                                   cudaDataType csType, cudaDataType executiontype);                              \
  cublasStatus_t cublasScalEx##BITS(cublasHandle_t handle, INT n, const void* alpha, cudaDataType alphaType,      \
                                    void* x, cudaDataType xType, INT incx, cudaDataType executionType);
BLAS_EX_VECTORS(int, )
BLAS_EX_VECTORS(int64_t, _64)
#undef BLAS_EX_VECTORS

// ---- updates of rank k of types that are values, and groups of products --------------------------------
#define BLAS_RANK_K_EX(INT, name, scalar)                                                                         \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, INT n, INT k,        \
                      const scalar* alpha, const void* A, cudaDataType Atype, INT lda, const scalar* beta,        \
                      void* C, cudaDataType Ctype, INT ldc);
#define BLAS_GROUPED(INT, name, T)                                                                                \
  cublasStatus_t name(cublasHandle_t handle, const cublasOperation_t transa_array[],                              \
                      const cublasOperation_t transb_array[], const INT m_array[], const INT n_array[],           \
                      const INT k_array[], const T alpha_array[], const T* const Aarray[], const INT lda_array[], \
                      const T* const Barray[], const INT ldb_array[], const T beta_array[], T* const Carray[],    \
                      const INT ldc_array[], INT group_count, const INT group_size[]);
#define BLAS_GROUPS_AND_UPDATES(INT, BITS)                                                                        \
  BLAS_RANK_K_EX(INT, cublasCsyrkEx##BITS, cuComplex)                                                             \
  BLAS_RANK_K_EX(INT, cublasCsyrk3mEx##BITS, cuComplex)                                                           \
  BLAS_RANK_K_EX(INT, cublasCherkEx##BITS, float)                                                                 \
  BLAS_RANK_K_EX(INT, cublasCherk3mEx##BITS, float)                                                               \
  BLAS_GROUPED(INT, cublasSgemmGroupedBatched##BITS, float)                                                       \
  BLAS_GROUPED(INT, cublasDgemmGroupedBatched##BITS, double)                                                      \
  cublasStatus_t cublasGemmGroupedBatchedEx##BITS(                                                                \
      cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],      \
      const INT m_array[], const INT n_array[], const INT k_array[], const void* alpha_array,                     \
      const void* const Aarray[], cudaDataType Atype, const INT lda_array[], const void* const Barray[],          \
      cudaDataType Btype, const INT ldb_array[], const void* beta_array, void* const Carray[],                    \
      cudaDataType Ctype, const INT ldc_array[], INT group_count, const INT group_size[],                         \
      cublasComputeType_t computeType);
BLAS_GROUPS_AND_UPDATES(int, )
BLAS_GROUPS_AND_UPDATES(int64_t, _64)
#undef BLAS_GROUPS_AND_UPDATES
#undef BLAS_GROUPED
#undef BLAS_RANK_K_EX

// ---- settings of emulated products ---------------------------------------------------------------------
#define BLAS_SETTING(Name, type)                                       \
  cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value);   \
  cublasStatus_t cublasGet##Name(cublasHandle_t handle, type* value);
BLAS_SETTING(EmulationStrategy, cublasEmulationStrategy_t)
BLAS_SETTING(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport)
BLAS_SETTING(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl)
BLAS_SETTING(FixedPointEmulationMaxMantissaBitCount, int)
BLAS_SETTING(FixedPointEmulationMantissaBitOffset, int)
BLAS_SETTING(FixedPointEmulationMantissaBitCountPointer, int*)
#undef BLAS_SETTING

#if defined(__cplusplus)
}
#endif

// ---- the names that programs use -----------------------------------------------------------------------
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSrotg cublasSrotg_v2
#define cublasDrotg cublasDrotg_v2
#define cublasCrotg cublasCrotg_v2
#define cublasZrotg cublasZrotg_v2
#define cublasSrotmg cublasSrotmg_v2
#define cublasDrotmg cublasDrotmg_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSscal cublasSscal_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasSdot cublasSdot_v2
#define cublasSrotm cublasSrotm_v2
#define cublasSrot cublasSrot_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSgbmv cublasSgbmv_v2
#define cublasStrmv cublasStrmv_v2
#define cublasStrsv cublasStrsv_v2
#define cublasStbmv cublasStbmv_v2
#define cublasStbsv cublasStbsv_v2
#define cublasStpmv cublasStpmv_v2
#define cublasStpsv cublasStpsv_v2
#define cublasSsymv cublasSsymv_v2
#define cublasSsyr cublasSsyr_v2
#define cublasSsyr2 cublasSsyr2_v2
#define cublasSger cublasSger_v2
#define cublasSsbmv cublasSsbmv_v2
#define cublasSspmv cublasSspmv_v2
#define cublasSspr cublasSspr_v2
#define cublasSspr2 cublasSspr2_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSsymm cublasSsymm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasSsyr2k cublasSsyr2k_v2
#define cublasStrmm cublasStrmm_v2
#define cublasStrsm cublasStrsm_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDscal cublasDscal_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasDdot cublasDdot_v2
#define cublasDrotm cublasDrotm_v2
#define cublasDrot cublasDrot_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDgbmv cublasDgbmv_v2
#define cublasDtrmv cublasDtrmv_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasDtbmv cublasDtbmv_v2
#define cublasDtbsv cublasDtbsv_v2
#define cublasDtpmv cublasDtpmv_v2
#define cublasDtpsv cublasDtpsv_v2
#define cublasDsymv cublasDsymv_v2
#define cublasDsyr cublasDsyr_v2
#define cublasDsyr2 cublasDsyr2_v2
#define cublasDger cublasDger_v2
#define cublasDsbmv cublasDsbmv_v2
#define cublasDspmv cublasDspmv_v2
#define cublasDspr cublasDspr_v2
#define cublasDspr2 cublasDspr2_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDsymm cublasDsymm_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDsyr2k cublasDsyr2k_v2
#define cublasDtrmm cublasDtrmm_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasCcopy cublasCcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasCscal cublasCscal_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasScasum cublasScasum_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasCdotu cublasCdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasCsscal cublasCsscal_v2
#define cublasCsrot cublasCsrot_v2
#define cublasCrot cublasCrot_v2
#define cublasCgemv cublasCgemv_v2
#define cublasCgbmv cublasCgbmv_v2
#define cublasCtrmv cublasCtrmv_v2
#define cublasCtrsv cublasCtrsv_v2
#define cublasCtbmv cublasCtbmv_v2
#define cublasCtbsv cublasCtbsv_v2
#define cublasCtpmv cublasCtpmv_v2
#define cublasCtpsv cublasCtpsv_v2
#define cublasCsymv cublasCsymv_v2
#define cublasCsyr cublasCsyr_v2
#define cublasCsyr2 cublasCsyr2_v2
#define cublasCgeru cublasCgeru_v2
#define cublasCgerc cublasCgerc_v2
#define cublasChemv cublasChemv_v2
#define cublasChbmv cublasChbmv_v2
#define cublasChpmv cublasChpmv_v2
#define cublasCher cublasCher_v2
#define cublasChpr cublasChpr_v2
#define cublasCher2 cublasCher2_v2
#define cublasChpr2 cublasChpr2_v2
#define cublasCgemm cublasCgemm_v2
#define cublasCsymm cublasCsymm_v2
#define cublasCsyrk cublasCsyrk_v2
#define cublasCsyr2k cublasCsyr2k_v2
#define cublasChemm cublasChemm_v2
#define cublasCherk cublasCherk_v2
#define cublasCher2k cublasCher2k_v2
#define cublasCtrmm cublasCtrmm_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasZcopy cublasZcopy_v2
#define cublasZswap cublasZswap_v2
#define cublasZscal cublasZscal_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasDzasum cublasDzasum_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIzamin cublasIzamin_v2
#define cublasZdotu cublasZdotu_v2
#define cublasZdotc cublasZdotc_v2
#define cublasZdscal cublasZdscal_v2
#define cublasZdrot cublasZdrot_v2
#define cublasZrot cublasZrot_v2
#define cublasZgemv cublasZgemv_v2
#define cublasZgbmv cublasZgbmv_v2
#define cublasZtrmv cublasZtrmv_v2
#define cublasZtrsv cublasZtrsv_v2
#define cublasZtbmv cublasZtbmv_v2
#define cublasZtbsv cublasZtbsv_v2
#define cublasZtpmv cublasZtpmv_v2
#define cublasZtpsv cublasZtpsv_v2
#define cublasZsymv cublasZsymv_v2
#define cublasZsyr cublasZsyr_v2
#define cublasZsyr2 cublasZsyr2_v2
#define cublasZgeru cublasZgeru_v2
#define cublasZgerc cublasZgerc_v2
#define cublasZhemv cublasZhemv_v2
#define cublasZhbmv cublasZhbmv_v2
#define cublasZhpmv cublasZhpmv_v2
#define cublasZher cublasZher_v2
#define cublasZhpr cublasZhpr_v2
#define cublasZher2 cublasZher2_v2
#define cublasZhpr2 cublasZhpr2_v2
#define cublasZgemm cublasZgemm_v2
#define cublasZsymm cublasZsymm_v2
#define cublasZsyrk cublasZsyrk_v2
#define cublasZsyr2k cublasZsyr2k_v2
#define cublasZhemm cublasZhemm_v2
#define cublasZherk cublasZherk_v2
#define cublasZher2k cublasZher2k_v2
#define cublasZtrmm cublasZtrmm_v2
#define cublasZtrsm cublasZtrsm_v2

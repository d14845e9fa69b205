// cublasXt for programs that are built without a CUDA Toolkit: types and functions as the cuBLAS documentation declares them.
// cudalab's libcublas implements the products of general matrices.
#pragma once

#include "cublas_v2.h"

struct cublasXtContext;
typedef struct cublasXtContext* cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* blockDim);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode);

#define CUDALAB_XT_GEMM(letter, T)                                                                                    \
  cublasStatus_t cublasXt##letter##gemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,  \
                                        size_t m, size_t n, size_t k, const T* alpha, const T* A, size_t lda,         \
                                        const T* B, size_t ldb, const T* beta, T* C, size_t ldc);
CUDALAB_XT_GEMM(S, float)
CUDALAB_XT_GEMM(D, double)
CUDALAB_XT_GEMM(C, cuComplex)
CUDALAB_XT_GEMM(Z, cuDoubleComplex)
#undef CUDALAB_XT_GEMM

#ifdef __cplusplus
}
#endif

// The context behind a cublasHandle_t.
#pragma once

#include <cublas_v2.h>

// Declared by cuBLAS in the global namespace.
struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  int sm_count_target = 0;
};

namespace cudalab::blas {

// Whether the handle exists: cublasDestroy has not taken it.
bool is_handle(cublasHandle_t handle);
const char* name_of(cublasStatus_t status);
// The status for an error of the runtime.
cublasStatus_t status_of(cudaError_t error);
// "cublasSgemm" for "cublasSgemm_v2" and for "cublasSgemm_v2_64", as programs write it. Lives as long as the
// process.
const char* name_in_source(const char* function);

}  // namespace cudalab::blas

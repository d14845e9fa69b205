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
  // Kept for the program only: emulated products are computed like those that they emulate.
  cublasEmulationStrategy_t emulation_strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl mantissa_control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int most_mantissa_bits = 0, mantissa_bit_offset = 0;
  int* mantissa_bits = nullptr;
};

namespace cudalab::blas {

// Whether the handle exists and has not been destroyed.
bool is_handle(cublasHandle_t handle);
const char* name_of(cublasStatus_t status);
// The status that reports an error of the runtime.
cublasStatus_t status_of(cudaError_t error);
// "cublasSgemm" for "cublasSgemm_v2" and for "cublasSgemm_v2_64": the name that programs write. Valid until
// the process ends.
const char* name_in_source(const char* function);

}  // namespace cudalab::blas

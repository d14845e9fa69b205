// Calls of cuBLAS with wrong parameters. Each returns the status that it has on an H200.
// nvcc: -lcublas
#include <cublas_v2.h>

#include <cstdio>

#include "check.h"

static void say(const char* what, cublasStatus_t status) { std::printf("%s: %s\n", what, cublasGetStatusName(status)); }

int main() {
  cublasHandle_t handle;
  say("create", cublasCreate(&handle));
  float *memory, one = 1, result = 0;
  CHECK(cudaMalloc(&memory, 64 * sizeof(float)));
  CHECK(cudaMemset(memory, 0, 64 * sizeof(float)));
  const auto gemm = [&](cublasHandle_t with, int m, int n, int k, int lda, int ldb, int ldc) {
    return cublasSgemm(with, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, memory, lda, memory, ldb, &one, memory, ldc);
  };
  say("lda below m", gemm(handle, 4, 4, 4, 3, 4, 4));
  say("ldb below k", gemm(handle, 4, 4, 4, 4, 3, 4));
  say("ldc below m", gemm(handle, 4, 4, 4, 4, 4, 3));
  say("m negative", gemm(handle, -1, 4, 4, 4, 4, 4));
  say("no handle", gemm(nullptr, 4, 4, 4, 4, 4, 4));
  say("no alpha", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, nullptr, memory, 4, memory, 4, &one, memory, 4));
  say("n negative in dot", cublasSdot(handle, -1, memory, 1, memory, 1, &result));
  say("no result", cublasSdot(handle, 4, memory, 1, memory, 1, nullptr));
  say("uplo 5", cublasStrsv(handle, static_cast<cublasFillMode_t>(5), CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, memory, 4, memory, 1));
  say("half to double", cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, memory, CUDA_R_16F, 4, memory,
                                     CUDA_R_16F, 4, &one, memory, CUDA_R_64F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  say("elements of 0 bytes", cublasSetVector(1, 0, &one, 1, memory, 1));
  CHECK(cudaDeviceSynchronize());

  // A host pointer: the call succeeds, and the GPU faults while it runs.
  static float on_host[16];
  say("host pointer", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, on_host, 4, memory, 4, &one, memory, 4));
  std::printf("synchronize: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  say("afterwards", gemm(handle, 4, 4, 4, 4, 4, 4));
  say("destroy", cublasDestroy(handle));
}

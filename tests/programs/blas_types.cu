// Multiplications with cuBLAS of all kinds of types and batches. The values are small integers, so each result is exact.
// nvcc: -lcublas
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdint>
#include <vector>

#include "check.h"

#define BLAS(call)                                                        \
  do {                                                                    \
    const cublasStatus_t status = (call);                                 \
    if (status != CUBLAS_STATUS_SUCCESS) {                                \
      std::printf("line %d: %s\n", __LINE__, cublasGetStatusName(status)); \
      return 1;                                                           \
    }                                                                     \
  } while (0)

constexpr int kM = 24, kN = 16, kK = 32, kBatch = 3;

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> numbers(int count, int period) {
  std::vector<T> values(count);
  for (int i = 0; i < count; ++i) values[i] = T(static_cast<float>(i % period - period / 2));
  return values;
}

// A weighted sum of the result's elements, each with a different weight.
template <class T>
double checksum(const T* device, int count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (i % 11 + 1) * static_cast<double>(static_cast<float>(values[i]));
  return sum;
}

template <class In, class Out, class Scale>
int run(cublasHandle_t handle, const char* name, cudaDataType in, cudaDataType out, cublasComputeType_t compute) {
  In* a = on_device(numbers<In>(kBatch * kM * kK, 7));
  In* b = on_device(numbers<In>(kBatch * kK * kN, 5));
  Out* c = on_device(numbers<Out>(kBatch * kM * kN, 3));
  const Scale alpha = Scale(2.0F), beta = Scale(1.0F);
  BLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, a, in, kM, b, in, kK, &beta, c, out, kM,
                    compute, CUBLAS_GEMM_DEFAULT));
  std::printf("%s: %.0f", name, checksum(c, kM * kN));
  BLAS(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kM, kN, kK, &alpha, a, in, kK, kM * kK, b, in, kK,
                                  kK * kN, &beta, c, out, kM, kM * kN, kBatch, compute, CUBLAS_GEMM_DEFAULT));
  std::printf(" %.0f", checksum(c, kBatch * kM * kN));
  std::vector<void*> as, bs, cs;
  for (int i = 0; i < kBatch; ++i) {
    as.push_back(a + i * kM * kK);
    bs.push_back(b + i * kK * kN);
    cs.push_back(c + (kBatch - 1 - i) * kM * kN);
  }
  void **device_as = on_device(as), **device_bs = on_device(bs), **device_cs = on_device(cs);
  BLAS(cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &alpha, device_as, in, kM, device_bs, in, kK,
                           &beta, device_cs, out, kM, kBatch, compute, CUBLAS_GEMM_DEFAULT));
  std::printf(" %.0f\n", checksum(c, kBatch * kM * kN));
  for (void* memory : {(void*)a, (void*)b, (void*)c, (void*)device_as, (void*)device_bs, (void*)device_cs})
    CHECK(cudaFree(memory));
  return 0;
}

int main() {
  cublasHandle_t handle;
  BLAS(cublasCreate(&handle));
  run<float, float, float>(handle, "float", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  run<float, float, float>(handle, "float as TF32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  run<double, double, double>(handle, "double", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
  run<__half, __half, float>(handle, "half", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  run<__half, __half, __half>(handle, "half in half", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
  run<__half, float, float>(handle, "half to float", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  run<std::int8_t, std::int32_t, std::int32_t>(handle, "int8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);

  // If alpha is 0, A is not read; if beta is 0, C is not read; sizes of 0 do nothing.
  const float not_a_number = __builtin_nanf(""), zero = 0, one = 1;
  float* nans = on_device(std::vector<float>(16, not_a_number));
  float* ones = on_device(std::vector<float>(16, 1));
  float* result = on_device(std::vector<float>(16, not_a_number));
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, ones, 4, ones, 4, &zero, result, 4));
  std::printf("beta 0: %.0f\n", checksum(result, 16));
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &zero, nans, 4, ones, 4, &one, ones, 4));
  std::printf("alpha 0: %.0f\n", checksum(ones, 16));
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 0, &one, nans, 4, nans, 4, &one, ones, 4));
  std::printf("k 0: %.0f\n", checksum(ones, 16));
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 4, 4, &one, nans, 4, nans, 4, &one, ones, 4));
  std::printf("m 0: %.0f\n", checksum(ones, 16));
  for (float* memory : {nans, ones, result}) CHECK(cudaFree(memory));
  BLAS(cublasDestroy(handle));
}

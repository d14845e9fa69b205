// cublasXt multiplies matrices in host memory, and in managed and device memory. Each result is compared with a loop.
// nvcc: -lcublas
#include <cublasXt.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

#define BLAS(call)                                                          \
  do {                                                                      \
    const cublasStatus_t status_ = (call);                                  \
    if (status_ != CUBLAS_STATUS_SUCCESS) {                                 \
      std::printf("line %d: %s\n", __LINE__, cublasGetStatusName(status_)); \
      std::exit(1);                                                         \
    }                                                                       \
  } while (0)

constexpr int kM = 17, kN = 11, kK = 23, kLd = 25;

std::vector<double> numbers(int count, int period) {
  std::vector<double> made(count);
  for (int i = 0; i < count; ++i) made[i] = i % period - period / 2;
  return made;
}

// C = 2 A^T B - C.
std::vector<double> expected(const double* a, const double* b, const std::vector<double>& c) {
  std::vector<double> made = c;
  for (int j = 0; j < kN; ++j)
    for (int i = 0; i < kM; ++i) {
      double sum = 0;
      for (int k = 0; k < kK; ++k) sum += a[k + i * kLd] * b[k + j * kLd];
      made[i + j * kLd] = 2 * sum - c[i + j * kLd];
    }
  return made;
}

int main() {
  const std::vector<double> a = numbers(kLd * kM, 7), b = numbers(kLd * kN, 9), c = numbers(kLd * kN, 5);
  const std::vector<double> wanted = expected(a.data(), b.data(), c);
  const double alpha = 2, beta = -1;
  cublasXtHandle_t handle;
  int devices[] = {0}, block = 0;
  BLAS(cublasXtCreate(&handle));
  BLAS(cublasXtDeviceSelect(handle, 1, devices));
  BLAS(cublasXtSetBlockDim(handle, 64));
  BLAS(cublasXtGetBlockDim(handle, &block));
  std::printf("blocks of %d\n", block);

  std::vector<double> result = c;
  BLAS(cublasXtDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, kM, kN, kK, &alpha, a.data(), kLd, b.data(), kLd, &beta, result.data(),
                     kLd));
  std::printf("memory of the host: %s\n", result == wanted ? "right" : "wrong");

  double *device_a, *device_b, *managed;
  CHECK(cudaMalloc(&device_a, a.size() * sizeof(double)));
  CHECK(cudaMalloc(&device_b, b.size() * sizeof(double)));
  CHECK(cudaMallocManaged(&managed, c.size() * sizeof(double)));
  CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice));
  for (std::size_t i = 0; i < c.size(); ++i) managed[i] = c[i];
  BLAS(cublasXtDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, kM, kN, kK, &alpha, device_a, kLd, device_b, kLd, &beta, managed, kLd));
  std::printf("memory of the device: %s\n", std::vector<double>(managed, managed + c.size()) == wanted ? "right" : "wrong");
  for (double* each : {device_a, device_b, managed}) CHECK(cudaFree(each));
  BLAS(cublasXtDestroy(handle));
}

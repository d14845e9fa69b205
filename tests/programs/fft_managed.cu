// Transforms of managed memory, which the host reaches too: large enough for several threads of the library, and queued
// beside a kernel.
// nvcc: -lcufft
#include <cufft.h>

#include <cstdio>

#include "check.h"

__global__ void scale(cufftComplex* x, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = make_cuFloatComplex(factor * x[i].x, factor * x[i].y);
}

int main() {
  constexpr int kSize = 1024, kBatch = 1024, kAll = kSize * kBatch;
  cufftComplex* x;
  CHECK(cudaMallocManaged(&x, kAll * sizeof *x));
  for (int i = 0; i < kAll; ++i) x[i] = make_cuFloatComplex(i % kSize, 0);
  cufftHandle plan;
  if (cufftPlan1d(&plan, kSize, CUFFT_C2C, kBatch) != CUFFT_SUCCESS) return 1;
  for (int round = 0; round < 3; ++round) {
    if (cufftExecC2C(plan, x, x, CUFFT_FORWARD) != CUFFT_SUCCESS) return 1;
    scale<<<kAll / 256, 256>>>(x, kAll, 1.0f / kSize);
    if (cufftExecC2C(plan, x, x, CUFFT_INVERSE) != CUFFT_SUCCESS) return 1;
  }
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < kAll; ++i) wrong += !(x[i].x > i % kSize - 0.01f && x[i].x < i % kSize + 0.01f);
  std::printf("%d wrong\n", wrong);
  cufftDestroy(plan);
  CHECK(cudaFree(x));
}

// More than 48 KiB of dynamic shared memory, requested before the launch.
#include "check.h"

__global__ void use(int* out) {
  extern __shared__ int big[];
  big[16000 + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = big[16000 + 31 - threadIdx.x];
}

int main() {
  const int bytes = 65536;
  int h[32], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaFuncSetAttribute(use, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  use<<<1, 32, bytes>>>(d);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", h[0], h[31]);
  CHECK(cudaFree(d));
}

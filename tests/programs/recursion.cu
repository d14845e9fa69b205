// A device function that calls itself, with a larger stack.
#include "check.h"

__device__ int ways(int steps) { return steps < 2 ? 1 : ways(steps - 1) + ways(steps - 2); }
__global__ void count(int* out) { out[threadIdx.x] = ways(threadIdx.x); }

int main() {
  int h[16], *d;
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  CHECK(cudaMalloc(&d, sizeof h));
  count<<<1, 16>>>(d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", h[5], h[10], h[15]);
  CHECK(cudaFree(d));
}

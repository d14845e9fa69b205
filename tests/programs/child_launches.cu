// Kernels that launch kernels: one thread starts a child grid, and the parent's end waits for it.
// nvcc: -rdc=true
#include "check.h"

__global__ void child(int* x, int value) { x[threadIdx.x] += value; }

__global__ void parent(int* x) {
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 2) child<<<1, 32>>>(x + 32 * threadIdx.x, 100 * (threadIdx.x + 1));
}

int main() {
  int h[64], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  parent<<<1, 64>>>(d);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", h[0], h[31], h[32], h[63]);
  CHECK(cudaFree(d));
}

// Mapped pinned memory: a kernel reads and writes host memory.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float *h, *d;
  CHECK(cudaHostAlloc(&h, 64 * sizeof(float), cudaHostAllocMapped));
  for (int i = 0; i < 64; i++) h[i] = i;
  CHECK(cudaHostGetDevicePointer(&d, h, 0));
  scale<<<2, 32>>>(d, 64, 0.5f);
  CHECK(cudaDeviceSynchronize());
  std::printf("%g %g\n", h[1], h[63]);
  CHECK(cudaFreeHost(h));
}

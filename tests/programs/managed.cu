// Managed memory: one pointer for the host and the device.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float* x;
  CHECK(cudaMallocManaged(&x, 100 * sizeof(float)));
  for (int i = 0; i < 100; i++) x[i] = i;
  scale<<<1, 128>>>(x, 100, 3);
  CHECK(cudaDeviceSynchronize());
  std::printf("%g %g\n", x[1], x[99]);
  CHECK(cudaFree(x));
}

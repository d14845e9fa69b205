// Registered host memory.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  const int n = 4096;
  float* h = static_cast<float*>(std::aligned_alloc(4096, n * sizeof(float)));
  for (int i = 0; i < n; i++) h[i] = 1;
  CHECK(cudaHostRegister(h, n * sizeof(float), cudaHostRegisterMapped));
  float* d;
  CHECK(cudaHostGetDevicePointer(&d, h, 0));
  scale<<<n / 256, 256>>>(d, n, 7);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(h));
  std::printf("%g %g\n", h[0], h[n - 1]);
  std::free(h);
}

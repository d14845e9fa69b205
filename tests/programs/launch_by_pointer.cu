// cudaLaunchKernel with an array of pointers to the arguments.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float h[32], *d, factor = 6;
  int n = 32;
  for (float& value : h) value = 2;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  void* arguments[] = {&d, &n, &factor};
  CHECK(cudaLaunchKernel((void*)scale, dim3(1), dim3(32), arguments, 0, 0));
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g\n", h[31]);
  CHECK(cudaFree(d));
}

// A launch that the GPU refuses, and the error that it leaves.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float* d;
  CHECK(cudaMalloc(&d, 128));
  scale<<<1, 2048>>>(d, 32, 1);
  std::printf("%s\n", cudaGetLastError() != cudaSuccess ? "refused" : "taken");
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  CHECK(cudaFree(d));
}

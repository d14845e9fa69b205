// Polling a stream until its work is done.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float* d;
  CHECK(cudaMalloc(&d, 128));
  CHECK(cudaMemset(d, 0, 128));
  for (int i = 0; i < 5; i++) scale<<<1, 32>>>(d, 32, 1);
  cudaError_t state;
  while ((state = cudaStreamQuery(0)) == cudaErrorNotReady) {
  }
  std::printf("%s\n", cudaGetErrorString(state));
  CHECK(cudaFree(d));
}

// A sum over a warp by shuffles.
#include "check.h"

__global__ void sum(int* out) {
  int value = threadIdx.x;
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
  if (threadIdx.x == 0) *out = value;
}

int main() {
  int h = 0, *d;
  CHECK(cudaMalloc(&d, sizeof h));
  sum<<<1, 32>>>(d);
  CHECK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d\n", h);
  CHECK(cudaFree(d));
}

// The legacy stream waits for blocking streams, and they for it.
#include "check.h"

__global__ void add(int* x, int value) { *x = *x * 10 + value; }

int main() {
  int h = 0, *d;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d, 4));
  CHECK(cudaMemset(d, 0, 4));
  add<<<1, 1, 0, stream>>>(d, 1);
  add<<<1, 1>>>(d, 2);
  add<<<1, 1, 0, stream>>>(d, 3);
  CHECK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  std::printf("%d\n", h);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d));
}

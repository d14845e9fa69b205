// Three hundred launches without a wait between them.
#include "check.h"

__global__ void step(int* x) { x[threadIdx.x] += 1; }

int main() {
  int h[32], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemset(d, 0, sizeof h));
  for (int i = 0; i < 300; i++) step<<<1, 32>>>(d);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", h[0], h[31]);
  CHECK(cudaFree(d));
}

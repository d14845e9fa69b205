// malloc and free in a kernel.
#include "check.h"

__global__ void list(int* out) {
  int* own = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; i++) own[i] = threadIdx.x + i;
  out[threadIdx.x] = own[0] + own[3];
  free(own);
}

int main() {
  int h[8], *d;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  CHECK(cudaMalloc(&d, sizeof h));
  list<<<1, 8>>>(d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", h[0], h[7]);
  CHECK(cudaFree(d));
}

// cudaDeviceReset at the end, and a fresh start after it.
#include "check.h"

__global__ void set(int* x) { *x = 42; }

int main() {
  int h = 0, *d;
  for (int round = 0; round < 2; round++) {
    CHECK(cudaMalloc(&d, sizeof h));
    set<<<1, 1>>>(d);
    CHECK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    std::printf("%d\n", h);
    CHECK(cudaDeviceReset());
  }
}

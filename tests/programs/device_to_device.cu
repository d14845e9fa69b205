// A copy on the device, and one whose direction CUDA determines.
#include "check.h"

int main() {
  int h[4] = {1, 2, 3, 4}, back[4], *a, *b;
  CHECK(cudaMalloc(&a, sizeof h));
  CHECK(cudaMalloc(&b, sizeof h));
  CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyDefault));
  CHECK(cudaMemcpy(b, a, sizeof h, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(back, b, sizeof h, cudaMemcpyDefault));
  std::printf("%d %d\n", back[0], back[3]);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

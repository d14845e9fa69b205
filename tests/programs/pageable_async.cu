// An asynchronous copy has read its pageable source when it returns.
#include "check.h"

int main() {
  int h[4] = {1, 2, 3, 4}, back[4], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, 0));
  for (int& value : h) value = 0;
  CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", back[0], back[3]);
  CHECK(cudaFree(d));
}

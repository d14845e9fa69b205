// cudaMemset2D sets only the given columns.
#include "check.h"

int main() {
  unsigned char h[3][8], *d;
  size_t pitch;
  CHECK(cudaMallocPitch(&d, &pitch, 8, 3));
  CHECK(cudaMemset2D(d, pitch, 1, 8, 3));
  CHECK(cudaMemset2D(d + 2, pitch, 9, 3, 2));
  CHECK(cudaMemcpy2D(h, 8, d, pitch, 8, 3, cudaMemcpyDeviceToHost));
  for (auto& row : h) {
    for (int value : row) std::printf("%d", value);
    std::printf("\n");
  }
  CHECK(cudaFree(d));
}

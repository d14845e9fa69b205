// Rows with a pitch, copied with cudaMemcpy2D.
#include "check.h"

__global__ void add_column(float* x, size_t pitch, int width) {
  int row = blockIdx.x, column = threadIdx.x;
  float* line = (float*)((char*)x + row * pitch);
  if (column < width) line[column] += column;
}

int main() {
  const int width = 5, height = 3;
  float h[height][width], *d;
  size_t pitch = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) h[y][x] = 10 * y;
  CHECK(cudaMallocPitch(&d, &pitch, width * sizeof(float), height));
  CHECK(cudaMemcpy2D(d, pitch, h, sizeof h[0], sizeof h[0], height, cudaMemcpyHostToDevice));
  add_column<<<height, 32>>>(d, pitch, width);
  CHECK(cudaMemcpy2D(h, sizeof h[0], d, pitch, sizeof h[0], height, cudaMemcpyDeviceToHost));
  std::printf("%d %g %g %g\n", pitch >= sizeof h[0], h[0][4], h[1][0], h[2][4]);
  CHECK(cudaFree(d));
}

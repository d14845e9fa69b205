// The block size that the occupancy calculator suggests fits.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  int grid = 0, block = 0, blocks = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
  std::printf("%d %d %d\n", block % 32 == 0 && block >= 128, grid > 0, blocks);
}

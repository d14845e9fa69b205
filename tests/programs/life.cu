// The game of life on a torus in pitched memory, two generations in turn, with a halo in shared memory.
#include "check.h"

#include <utility>

constexpr int kWidth = 100, kHeight = 60, kTile = 16;

__global__ void next(const unsigned char* from, unsigned char* to, size_t pitch) {
  __shared__ unsigned char cells[kTile + 2][kTile + 2];
  for (int i = threadIdx.y * kTile + threadIdx.x; i < (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    const int x = blockIdx.x * kTile + i % (kTile + 2) - 1, y = blockIdx.y * kTile + i / (kTile + 2) - 1;
    cells[i / (kTile + 2)][i % (kTile + 2)] = from[(y + kHeight) % kHeight * pitch + (x + kWidth) % kWidth];
  }
  __syncthreads();
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x >= kWidth || y >= kHeight) return;
  int neighbours = -cells[threadIdx.y + 1][threadIdx.x + 1];
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) neighbours += cells[threadIdx.y + dy][threadIdx.x + dx];
  to[y * pitch + x] = neighbours == 3 || (neighbours == 2 && cells[threadIdx.y + 1][threadIdx.x + 1]);
}

int main() {
  static unsigned char h[kHeight][kWidth];
  for (auto [x, y] : {std::pair{51, 30}, {52, 30}, {50, 31}, {51, 31}, {51, 32}}) h[y][x] = 1;  // the R-pentomino
  unsigned char *now, *then;
  size_t pitch;
  CHECK(cudaMallocPitch(&now, &pitch, kWidth, kHeight));
  CHECK(cudaMallocPitch(&then, &pitch, kWidth, kHeight));
  CHECK(cudaMemcpy2D(now, pitch, h, kWidth, kWidth, kHeight, cudaMemcpyHostToDevice));
  const dim3 grid((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile), block(kTile, kTile);
  for (int generation = 1; generation <= 60; generation++) {
    next<<<grid, block>>>(now, then, pitch);
    std::swap(now, then);
    if (generation % 20) continue;
    CHECK(cudaMemcpy2D(h, kWidth, now, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost));
    int alive = 0;
    for (auto& row : h)
      for (unsigned char cell : row) alive += cell;
    std::printf("%d: %d\n", generation, alive);
  }
  CHECK(cudaFree(now));
  CHECK(cudaFree(then));
}

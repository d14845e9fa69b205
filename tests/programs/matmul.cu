// A tiled matrix multiplication.
#include "check.h"

const int kTile = 8;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int m = 0; m < n; m += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + m + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(m + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 32;
  static float a[n * n], b[n * n], c[n * n];
  float *da, *db, *dc;
  for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof b));
  CHECK(cudaMalloc(&dc, sizeof c));
  CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  multiply<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(da, db, dc, n);
  CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float value : c) sum += value;
  std::printf("%g %g\n", c[0], sum);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
}

// A tiled matrix multiplication of 1024 x 1024 elements.
#include <vector>

#include "../check.h"

const int kTile = 32;

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
  const int n = 1024;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> ones(n * n, 1), product(n * n);
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMemcpy(a, ones.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, ones.data(), bytes, cudaMemcpyHostToDevice));
  multiply<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(a, b, c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(product.data(), c, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (float value : product) wrong += value != n;
  std::printf("%d wrong\n", wrong);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
}

// A multiplication of 64 x 64 matrices on tensor cores: one warp per tile of 16 x 16, halves in, floats out.
#include "check.h"

#include <cuda_fp16.h>
#include <mma.h>

constexpr int kSize = 64, kTile = 16;

__global__ void product(const half* a, const half* b, float* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  for (int k = 0; k < kSize; k += kTile) {
    wmma::load_matrix_sync(left, a + row * kSize + k, kSize);
    wmma::load_matrix_sync(right, b + k * kSize + column, kSize);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * kSize + column, sum, kSize, wmma::mem_row_major);
}

int main() {
  static half a[kSize * kSize], b[kSize * kSize];
  static float c[kSize * kSize];
  for (int i = 0; i < kSize * kSize; i++) a[i] = __float2half(i % 7 - 3), b[i] = __float2half(i % 5 - 2);
  half *da, *db;
  float* dc;
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof b));
  CHECK(cudaMalloc(&dc, sizeof c));
  CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  product<<<dim3(kSize / kTile, kSize / kTile), 32>>>(da, db, dc);
  CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kSize; i++)
    for (int j = 0; j < kSize; j++) {
      float sum = 0;
      for (int k = 0; k < kSize; k++) sum += __half2float(a[i * kSize + k]) * __half2float(b[k * kSize + j]);
      wrong += sum != c[i * kSize + j];
    }
  std::printf("%d wrong, %g %g %g\n", wrong, c[0], c[kSize + 1], c[kSize * kSize - 1]);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
}

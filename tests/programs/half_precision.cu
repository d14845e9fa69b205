// Half precision: conversions, pairs, and a multiplication on the tensor cores.
#include "check.h"

#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void product(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.5f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void pairs(const half2* x, half2* y) {
  y[threadIdx.x] = __hfma2(x[threadIdx.x], __float2half2_rn(2.0f), __floats2half2_rn(1.0f, -1.0f));
}

int main() {
  half a[256], b[256], *da, *db;
  float c[256], *dc;
  for (int i = 0; i < 256; i++) a[i] = __float2half(i % 7), b[i] = __float2half(i % 5 - 2);
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof b));
  CHECK(cudaMalloc(&dc, sizeof c));
  CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  product<<<1, 32>>>(da, db, dc);
  pairs<<<1, 128>>>((half2*)da, (half2*)db);
  CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost));
  std::printf("%g %g %g; %g %g\n", c[0], c[17], c[255], __half2float(b[2]), __half2float(b[255]));
  for (void* p : {(void*)da, (void*)db, (void*)dc}) CHECK(cudaFree(p));
}

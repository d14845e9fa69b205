// Shared memory filled by asynchronous copies, two stages ahead, with cuda::pipeline and cuda::barrier.
#include "check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init  // as in the Programming Guide

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void sum_tiles(const int* in, int tiles, int* out) {
  __shared__ int stage[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int tile = 0, next = 0; tile < tiles; tile++) {
    for (; next < tiles && next < tile + 2; next++) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, stage[next % 2], in + next * 64, sizeof(int) * 64, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += stage[tile % 2][63 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void reverse(int* x) {
  __shared__ int tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(tile + threadIdx.x, x + threadIdx.x, sizeof(int), barrier);
  barrier.arrive_and_wait();
  x[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  const int tiles = 6;
  int h[tiles * 64], *in, *out;
  for (int i = 0; i < tiles * 64; i++) h[i] = i;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, 64 * sizeof(int)));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  sum_tiles<<<1, 64>>>(in, tiles, out);
  reverse<<<1, 64>>>(out);
  CHECK(cudaMemcpy(h, out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", h[0], h[63]);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

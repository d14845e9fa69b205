// Copies each tile to shared memory while the previous one is summed, with the primitives of
// cuda_pipeline.h.
#include <cuda_pipeline.h>

#include "check.h"

constexpr int kTile = 64, kTiles = 8;

__global__ void sum_tiles(const float* in, float* out) {
  __shared__ float tiles[2][kTile];
  const int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&tiles[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int i = 0; i < kTiles; i++) {
    if (i + 1 < kTiles)
      __pipeline_memcpy_async(&tiles[(i + 1) % 2][t], &in[(i + 1) * kTile + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tiles[i % 2][kTile - 1 - t];  // written by another thread
    __syncthreads();
  }
  out[t] = sum;
}

// Four floats at once; beyond the end of the input they are zero.
__global__ void copy_rest(const float4* in, float* out, int n) {
  __shared__ float4 four[2];
  const int i = threadIdx.x, missing = max(0, 4 * (i + 1) - n);
  __pipeline_memcpy_async(&four[i], &in[i], sizeof(float4), missing * sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int k = 0; k < 4; k++) out[4 * i + k] = reinterpret_cast<float*>(&four[i])[k];
}

int main() {
  float h[kTile * kTiles], *in, *out;
  for (int i = 0; i < kTile * kTiles; i++) h[i] = i % 97;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, kTile * sizeof(float)));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  sum_tiles<<<1, kTile>>>(in, out);
  CHECK(cudaMemcpy(h, out, kTile * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%g %g %g\n", h[0], h[1], h[kTile - 1]);
  copy_rest<<<1, 2>>>(reinterpret_cast<const float4*>(in), out, 6);
  CHECK(cudaMemcpy(h, out, 8 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) std::printf("%g ", h[i]);
  std::printf("\n");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

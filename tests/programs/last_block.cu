// A sum in one launch: each block stores its part before a fence, and the block that finishes last adds the
// parts.
#include "check.h"

constexpr int kThreads = 128;
__device__ unsigned ready = 0;

__device__ int sum_of_block(int value) {
  __shared__ int parts[kThreads];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  return parts[0];
}

__global__ void sum(const int* in, int n, volatile int* parts, int* out) {
  __shared__ bool is_last;
  int mine = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) mine += in[i];
  const int part = sum_of_block(mine);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = part;
    __threadfence();
    is_last = atomicInc(&ready, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  const int all = sum_of_block(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);
  if (threadIdx.x == 0) *out = all;
}

int main() {
  const int n = 20000, blocks = 24;
  static int h[n];
  for (int i = 0; i < n; i++) h[i] = i % 11 - 4;
  int *in, *parts, *out, result;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&parts, blocks * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  for (int again = 0; again < 2; again++) {
    sum<<<blocks, kThreads>>>(in, n, parts, out);
    CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("%d ", result);
  }
  std::printf("\n");
  CHECK(cudaFree(in));
  CHECK(cudaFree(parts));
  CHECK(cudaFree(out));
}

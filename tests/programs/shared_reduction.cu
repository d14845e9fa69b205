// A tree reduction in shared memory.
#include "check.h"

__global__ void sum(const int* in, int* out) {
  extern __shared__ int part[];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main() {
  const int blocks = 4, threads = 128;
  int h[blocks * threads], sums[blocks], *in, *out;
  for (int i = 0; i < blocks * threads; i++) h[i] = i;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, sizeof sums));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  sum<<<blocks, threads, threads * sizeof(int)>>>(in, out);
  CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
  for (int value : sums) std::printf("%d\n", value);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

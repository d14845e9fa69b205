// Sums the squares of an array by blocks: the program into which block-sums.txt plants its mistakes.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define BLOCK 128

__constant__ float scale[2];

__device__ float square(float x) { return x * x; }

float reference(const std::vector<float>& values) {
  float sum = 0;
  for (float value : values) sum += 2.0f * value * value;
  return sum;
}

__global__ void block_sums(const float* x, float* sums, int n) {
  __shared__ float partial[BLOCK];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
  if (i < n) {
    value = scale[0] * square(x[i]);
  }
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      partial[threadIdx.x] += partial[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

int main() {
  const int n = 1000;
  const int blocks = (n + BLOCK - 1) / BLOCK;
  std::vector<float> x(n, 1.5f), sums(blocks);
  const float factors[2] = {2.0f, 1.0f};
  float *d_x, *d_sums;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_sums, blocks * sizeof(float));
  cudaMemcpyToSymbol(scale, factors, sizeof(factors));
  cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  block_sums<<<blocks, BLOCK>>>(d_x, d_sums, n);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (float part : sums) sum += part;
  printf("%g, expected %g\n", sum, reference(x));
  cudaFree(d_x);
  cudaFree(d_sums);
  return 0;
}

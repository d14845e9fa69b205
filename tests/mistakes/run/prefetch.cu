// Adds two vectors in managed memory, which is prefetched to the device and back.
#include <iostream>
#include <cmath>

__global__ void add(int n, const float *x, const float *y, float *sum)
{
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride)
    sum[i] = x[i] + y[i];
}

int main(void)
{
  int N = 1 << 14;
  float *x, *y, *sum;
  cudaMallocManaged(&x, N * sizeof(float));
  cudaMallocManaged(&y, N * sizeof(float));
  cudaMallocManaged(&sum, N * sizeof(float));
  for (int i = 0; i < N; i++) {
    x[i] = 1.0f + i % 3;
    y[i] = 2.0f;
  }

  cudaMemLocation gpu = {}, cpu = {};
  gpu.type = cudaMemLocationTypeDevice;
  gpu.id = 0;
  cpu.type = cudaMemLocationTypeHost;
  cudaMemPrefetchAsync(x, N * sizeof(float), gpu, 0);
  cudaMemPrefetchAsync(y, N * sizeof(float), gpu, 0);

  int blockSize = 256;
  int numBlocks = (N + blockSize - 1) / blockSize / 4;
  add<<<numBlocks, blockSize>>>(N, x, y, sum);
  cudaMemPrefetchAsync(sum, N * sizeof(float), cpu, 0);
  cudaDeviceSynchronize();

  float maxError = 0.0f;
  for (int i = 0; i < N; i++)
    maxError = fmaxf(maxError, fabsf(sum[i] - (3.0f + i % 3)));
  std::cout << "Max error: " << maxError << std::endl;

  cudaFree(x);
  cudaFree(y);
  cudaFree(sum);
  return maxError > 0;
}

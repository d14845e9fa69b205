#include <stdio.h>
#include <limits.h>
__constant__ int offset[4];
__global__ void blockMax(const int *v, int *best, int n) {
  __shared__ int m[256];
  int t = threadIdx.x;
  m[t] = INT_MIN;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    m[t] = max(m[t], v[i] + offset[i % 4]);
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (t < w) m[t] = max(m[t], m[t + w]);
    __syncthreads();
  }
  if (t == 0) atomicMax(best, m[0]);
}
int main() {
  const int n = 3000;
  int h[n], *d_v, *d_best, result, start = INT_MIN, hostOffset[4] = {0, 1, 2, 3};
  for (int i = 0; i < n; i++) h[i] = (i * 37) % 1001;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaMalloc((void **)&d_v, n * sizeof(int));
  cudaMalloc((void **)&d_best, sizeof(int));
  cudaMemcpy(d_v, h, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_best, &start, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(offset, hostOffset, sizeof(hostOffset));
  dim3 grid(4, 1, 1);
  dim3 block(256, 1, 1);
  cudaEventRecord(begin);
  blockMax<<<grid, block>>>(d_v, d_best, n);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  cudaMemcpy(&result, d_best, sizeof(int), cudaMemcpyDeviceToHost);
  int expect = INT_MIN;
  for (int i = 0; i < n; i++) if (h[i] + hostOffset[i % 4] > expect) expect = h[i] + hostOffset[i % 4];
  printf("%d %d\n", result, expect);
  cudaFree(d_v); cudaFree(d_best);
  return result == expect ? 0 : 1;
}

// A stream computes squares; a second stream waits for an event of the first and adds them up in pairs.
#include <cstdio>
#include <cstdlib>

#define CUDA(call) do { cudaError_t e_ = call; if (e_) { printf("line %d: %s\n", __LINE__, cudaGetErrorName(e_)); exit(9); } } while (0)

__global__ void squares(const int* in, int* out, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

__global__ void pairs(const int* in, int* out, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = in[2 * i] + in[2 * i + 1];
}

int main() {
  const int n = 6000;
  int *numbers, *sums, *d_numbers, *d_squares, *d_sums;
  CUDA(cudaHostAlloc(&numbers, n * sizeof(int), cudaHostAllocDefault));
  CUDA(cudaHostAlloc(&sums, n / 2 * sizeof(int), cudaHostAllocDefault));
  CUDA(cudaMalloc(&d_numbers, n * sizeof(int)));
  CUDA(cudaMalloc(&d_squares, n * sizeof(int)));
  CUDA(cudaMalloc(&d_sums, n / 2 * sizeof(int)));
  for (int i = 0; i < n; ++i) numbers[i] = i % 100;

  cudaStream_t first, second;
  cudaEvent_t ready;
  CUDA(cudaStreamCreate(&first));
  CUDA(cudaStreamCreate(&second));
  CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));

  CUDA(cudaMemcpyAsync(d_numbers, numbers, n * sizeof(int), cudaMemcpyHostToDevice, first));
  squares<<<(n + 255) / 256, 256, 0, first>>>(d_numbers, d_squares, n);
  CUDA(cudaEventRecord(ready, first));
  CUDA(cudaStreamWaitEvent(second, ready, 0));
  pairs<<<(n / 2 + 255) / 256, 256, 0, second>>>(d_squares, d_sums, n / 2);
  CUDA(cudaMemcpyAsync(sums, d_sums, n / 2 * sizeof(int), cudaMemcpyDeviceToHost, second));
  CUDA(cudaStreamSynchronize(second));

  int wrong = 0;
  for (int i = 0; i < n / 2; ++i) {
    int a = numbers[2 * i], b = numbers[2 * i + 1];
    if (sums[i] != a * a + b * b) ++wrong;
  }
  printf("%d wrong\n", wrong);
  CUDA(cudaEventDestroy(ready));
  CUDA(cudaStreamDestroy(first));
  CUDA(cudaStreamDestroy(second));
  CUDA(cudaFree(d_numbers));
  CUDA(cudaFree(d_squares));
  CUDA(cudaFree(d_sums));
  CUDA(cudaFreeHost(numbers));
  CUDA(cudaFreeHost(sums));
  return wrong ? 1 : 0;
}

// Streams of different priorities, their attributes, and an event of one stream that the other waits for.
#include "check.h"

__global__ void fill(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(int* x, const int* y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y[blockIdx.x * blockDim.x + threadIdx.x]; }

int main() {
  int least, greatest, of_low, of_high, h[256], *x, *y;
  unsigned flags;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t low, high;
  CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
  CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamGetPriority(low, &of_low));
  CHECK(cudaStreamGetPriority(high, &of_high));
  CHECK(cudaStreamGetFlags(high, &flags));
  std::printf("%d %d %d\n", of_low == least, of_high == greatest, flags == cudaStreamNonBlocking);
  CHECK(cudaMalloc(&x, sizeof h));
  CHECK(cudaMalloc(&y, sizeof h));
  cudaEvent_t filled;
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  fill<<<1, 256, 0, low>>>(x, 3);
  fill<<<1, 256, 0, high>>>(y, 4);
  CHECK(cudaEventRecord(filled, low));
  CHECK(cudaStreamWaitEvent(high, filled, 0));
  add<<<1, 256, 0, high>>>(x, y);
  CHECK(cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, high));
  CHECK(cudaStreamSynchronize(high));
  std::printf("%d %d\n", h[0], h[255]);
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaStreamDestroy(low));
  CHECK(cudaStreamDestroy(high));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
}

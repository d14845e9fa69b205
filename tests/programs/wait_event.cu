// One stream waits for an event of another.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float h[64], *d;
  for (int i = 0; i < 64; i++) h[i] = 1;
  cudaStream_t first, second;
  cudaEvent_t ready;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  scale<<<1, 64, 0, first>>>(d, 64, 3);
  CHECK(cudaEventRecord(ready, first));
  CHECK(cudaStreamWaitEvent(second, ready, 0));
  scale<<<1, 64, 0, second>>>(d, 64, 5);
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g\n", h[0]);
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(d));
}

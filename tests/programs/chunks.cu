// Many chunks over four streams: copies and kernels overlap; an event reports when a chunk is complete.
#include "check.h"

__global__ void step(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2 + 1;
}

int main() {
  const int chunks = 16, each = 4096, streams = 4;
  float *h, *d;
  cudaStream_t stream[streams];
  cudaEvent_t done[chunks];
  CHECK(cudaHostAlloc(&h, chunks * each * sizeof(float), cudaHostAllocDefault));
  CHECK(cudaMalloc(&d, streams * each * sizeof(float)));
  for (cudaStream_t& s : stream) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  for (int i = 0; i < chunks * each; i++) h[i] = i / each;
  for (int c = 0; c < chunks; c++) {
    float *on_host = h + c * each, *on_card = d + c % streams * each;
    cudaStream_t s = stream[c % streams];
    CHECK(cudaEventCreateWithFlags(&done[c], cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(on_card, on_host, each * sizeof(float), cudaMemcpyHostToDevice, s));
    step<<<each / 256, 256, 0, s>>>(on_card, each);
    CHECK(cudaMemcpyAsync(on_host, on_card, each * sizeof(float), cudaMemcpyDeviceToHost, s));
    CHECK(cudaEventRecord(done[c], s));
  }
  double sum = 0;
  for (int c = 0; c < chunks; c++) {
    CHECK(cudaEventSynchronize(done[c]));
    sum += h[c * each] + h[c * each + each - 1];
    CHECK(cudaEventDestroy(done[c]));
  }
  std::printf("%g\n", sum);
  for (cudaStream_t s : stream) CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(d));
  CHECK(cudaFreeHost(h));
}

// Two streams with pinned memory; each copies, computes and copies back.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  const int n = 1 << 12, half = n / 2;
  float *h, *d;
  cudaStream_t streams[2];
  CHECK(cudaMallocHost(&h, n * sizeof(float)));
  CHECK(cudaMalloc(&d, n * sizeof(float)));
  for (int i = 0; i < n; i++) h[i] = i;
  for (int s = 0; s < 2; s++) {
    CHECK(cudaStreamCreate(&streams[s]));
    float *from = h + s * half, *to = d + s * half;
    CHECK(cudaMemcpyAsync(to, from, half * sizeof(float), cudaMemcpyHostToDevice, streams[s]));
    scale<<<half / 128, 128, 0, streams[s]>>>(to, half, s + 2);
    CHECK(cudaMemcpyAsync(from, to, half * sizeof(float), cudaMemcpyDeviceToHost, streams[s]));
  }
  for (cudaStream_t stream : streams) {
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  }
  std::printf("%g %g %g\n", h[1], h[half], h[n - 1]);
  CHECK(cudaFreeHost(h));
  CHECK(cudaFree(d));
}

// Memory allocated and freed in the order of a stream.
#include "check.h"

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

int main() {
  float h[64], *d;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 64; i++) h[i] = i;
  CHECK(cudaMallocAsync(&d, sizeof h, stream));
  CHECK(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, stream));
  scale<<<1, 64, 0, stream>>>(d, 64, 4);
  CHECK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(d, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%g\n", h[63]);
  CHECK(cudaStreamDestroy(stream));
}

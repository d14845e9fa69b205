// A histogram with atomics.
#include "check.h"

__global__ void histogram(const unsigned char* in, int n, int* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] % 8], 1);
}

int main() {
  unsigned char h[1000], *in;
  int bins[8], *out;
  for (int i = 0; i < 1000; i++) h[i] = i * 7;
  CHECK(cudaMalloc(&in, sizeof h));
  CHECK(cudaMalloc(&out, sizeof bins));
  CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof bins));
  histogram<<<4, 64>>>(in, 1000, out);
  CHECK(cudaMemcpy(bins, out, sizeof bins, cudaMemcpyDeviceToHost));
  for (int bin : bins) std::printf("%d ", bin);
  std::printf("\n");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

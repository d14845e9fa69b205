// Managed memory with advice, prefetched on a stream before its use.
#include "check.h"

__global__ void square(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= x[i];
}

int main() {
  const int n = 10000;
  float* x;
  int device;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  for (int i = 0; i < n; i++) x[i] = i % 100;
  const cudaMemLocation card = {cudaMemLocationTypeDevice, device}, host = {cudaMemLocationTypeHost, 0};
  CHECK(cudaMemAdvise(x, n * sizeof(float), cudaMemAdviseSetPreferredLocation, card));
  CHECK(cudaMemPrefetchAsync(x, n * sizeof(float), card, 0));
  square<<<20, 128>>>(x, n);
  CHECK(cudaMemPrefetchAsync(x, n * sizeof(float), host, 0));
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  std::printf("%.0f\n", sum);
  CHECK(cudaFree(x));
}

// An atomic that the GPU lacks, built from compare-and-swap, and one in double precision that it has.
#include "check.h"

__device__ float atomic_maximum(float* at, float value) {
  int* const bits = reinterpret_cast<int*>(at);
  int seen = *bits;
  while (__int_as_float(seen) < value) {
    const int before = atomicCAS(bits, seen, __float_as_int(value));
    if (before == seen) break;
    seen = before;
  }
  return __int_as_float(seen);
}

__global__ void examine(const float* x, int n, float* largest, double* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomic_maximum(largest, x[i]);
  atomicAdd(sum, (double)x[i]);
}

int main() {
  const int n = 3000;
  float h[n], *x, *largest, most = -1e30f;
  double *sum, total = 0;
  for (int i = 0; i < n; i++) h[i] = (i * 37 % 1001) * 0.25f - 60;
  CHECK(cudaMalloc(&x, sizeof h));
  CHECK(cudaMalloc(&largest, sizeof most));
  CHECK(cudaMalloc(&sum, sizeof total));
  CHECK(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(largest, &most, sizeof most, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(sum, &total, sizeof total, cudaMemcpyHostToDevice));
  examine<<<(n + 255) / 256, 256>>>(x, n, largest, sum);
  CHECK(cudaMemcpy(&most, largest, sizeof most, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  std::printf("%g %.2f\n", most, total);
  CHECK(cudaFree(x));
  CHECK(cudaFree(largest));
  CHECK(cudaFree(sum));
}

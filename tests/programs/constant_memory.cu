// A __constant__ table, filled with cudaMemcpyToSymbol.
#include "check.h"

__constant__ float table[4];

__global__ void look_up(float* out) { out[threadIdx.x] = table[threadIdx.x % 4]; }

int main() {
  const float values[4] = {1, 10, 100, 1000};
  float out[8], *d;
  CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
  CHECK(cudaMalloc(&d, sizeof out));
  look_up<<<1, 8>>>(d);
  CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (float value : out) std::printf("%g ", value);
  std::printf("\n");
  CHECK(cudaFree(d));
}

// A device variable by its address and size, set through a kernel's pointer and by an asynchronous copy.
#include "check.h"

__device__ int table[64];
__constant__ float factors[4];
__device__ unsigned long long calls;

__global__ void use(int* by_pointer) {
  by_pointer[threadIdx.x] += (int)(table[threadIdx.x] * factors[threadIdx.x % 4]);
  atomicAdd(&calls, 1ull);
}

int main() {
  int *address, h[64];
  size_t bytes;
  CHECK(cudaGetSymbolAddress((void**)&address, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  for (int i = 0; i < 64; i++) h[i] = i;
  const float f[4] = {1, 2, 0.5f, -1};
  CHECK(cudaMemcpy(address, h, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbolAsync(factors, f, sizeof f, 0, cudaMemcpyHostToDevice, 0));
  use<<<1, 64>>>(address);
  unsigned long long count;
  CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  CHECK(cudaMemcpyFromSymbol(h, table, 8 * sizeof(int), 32 * sizeof(int)));
  std::printf("%zu bytes, %llu calls: %d %d %d %d\n", bytes, count, h[0], h[1], h[2], h[3]);
}

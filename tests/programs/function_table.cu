// Device functions called through pointers: a table in device memory, and a pointer that the host reads by symbol.
#include "check.h"

using Operation = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ Operation operations[] = {add, multiply, larger};
__device__ Operation chosen = larger;

__global__ void apply_table(int* out) { out[threadIdx.x] = operations[threadIdx.x % 3](threadIdx.x, 5); }
__global__ void apply_one(Operation operation, int* out) { out[threadIdx.x] = operation(threadIdx.x, 3); }

int main() {
  int h[8], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  apply_table<<<1, 8>>>(d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int value : h) std::printf("%d ", value);
  Operation from_device;
  CHECK(cudaMemcpyFromSymbol(&from_device, chosen, sizeof from_device));
  apply_one<<<1, 8>>>(from_device, d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("\n");
  for (int value : h) std::printf("%d ", value);
  std::printf("\n");
  CHECK(cudaFree(d));
}

// A __device__ counter, set and read by the host.
#include "check.h"

__device__ int counter;

__global__ void count() { atomicAdd(&counter, 1); }

int main() {
  int value = 5;
  CHECK(cudaMemcpyToSymbol(counter, &value, sizeof value));
  count<<<10, 100>>>();
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  size_t bytes = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&bytes, counter));
  CHECK(cudaGetSymbolAddress(&address, counter));
  CHECK(cudaMemset(address, 0, bytes));
  int zero = 1;
  CHECK(cudaMemcpyFromSymbol(&zero, counter, sizeof zero));
  std::printf("%d %d %zu\n", value, zero, bytes);
}

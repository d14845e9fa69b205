// The host makes no calls: it polls mapped memory until the kernel has written there.
#include "check.h"

__global__ void work(volatile int* flag, int* result) {
  *result = 6 * 7;
  __threadfence_system();
  *flag = 1;
}

int main() {
  int *flag, *result;
  CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&result, sizeof *result, cudaHostAllocMapped));
  *flag = 0;
  work<<<1, 1>>>(flag, result);
  CHECK(cudaGetLastError());
  while (*(volatile int*)flag == 0) continue;
  std::printf("%d\n", *(volatile int*)result);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFreeHost(flag));
  CHECK(cudaFreeHost(result));
}

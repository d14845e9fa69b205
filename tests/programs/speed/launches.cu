// 10,000 launches of an empty kernel.
#include "../check.h"

__global__ void empty() {}

int main() {
  for (int i = 0; i < 10000; i++) empty<<<1, 32>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::printf("10000 launches\n");
}

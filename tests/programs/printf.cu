// Lines that a kernel prints come before the host's output after the synchronization.
#include "check.h"

__global__ void hello() { printf("block %d\n", blockIdx.x); }

int main() {
  std::printf("before\n");
  for (int i = 0; i < 3; i++) {
    hello<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
  }
  std::printf("after\n");
}

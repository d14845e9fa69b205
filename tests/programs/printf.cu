// Lines that a kernel prints come before what the host prints behind the synchronisation.
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

// A __managed__ variable.
#include "check.h"

__managed__ int values[4] = {1, 2, 3, 4};

__global__ void square() { values[threadIdx.x] *= values[threadIdx.x]; }

int main() {
  values[0] = 10;
  square<<<1, 4>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
}

// Every thread prints its index.
// run: --kernel hello --grid 2 --block 2
// expect: Hello from block 0, thread 1
// expect: Hello from block 1, thread 0
#include <stdio.h>
#include <stdlib.h>
#include "common/check.h"
__global__ void hello(void) { printf("Hello from block %d, thread %d\n", blockIdx.x, threadIdx.x); }

int main() {
  hello<<<2, 2>>>();
  CHECK(cudaDeviceSynchronize());
  return EXIT_SUCCESS;
}

// An assertion that fails in a kernel.
#include "check.h"

#include <cassert>

__global__ void judge(int x) { assert(x == 1); }

int main() {
  judge<<<1, 1>>>(1);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  judge<<<1, 1>>>(2);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

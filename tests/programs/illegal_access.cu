// The next wait and every later call return the error of a fault.
#include "check.h"

__global__ void fall(int* x) { x[1 << 28] = 1; }

int main() {
  int* d;
  CHECK(cudaMalloc(&d, 4));
  fall<<<1, 1>>>(d);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&d, 4)));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

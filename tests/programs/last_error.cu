// Queries of errors: which ones stay, which the query resets, and what a successful call does not reset.
#include "check.h"

__global__ void nothing() {}

int main() {
  nothing<<<1, 2000>>>();
  std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
  nothing<<<1, 1>>>();
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  void* p = nullptr;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&p, (size_t)1 << 50)));
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaSetDevice(99)));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

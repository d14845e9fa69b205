// The attributes of a kernel.
#include "check.h"

__global__ void own(int* x) {
  __shared__ int tile[100];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[99 - threadIdx.x];
}

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, own));
  std::printf("%zu %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
}

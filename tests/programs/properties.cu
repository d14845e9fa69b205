// Queries of a device that every program makes.
#include "check.h"

int main() {
  int count = 0, device = -1;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int threads = 0;
  CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  std::printf("%d %d %d.%d %d %d %zu %d %d\n", count > 0, device, properties.major, properties.minor,
              properties.warpSize, threads, properties.sharedMemPerBlock, properties.maxGridSize[1],
              properties.multiProcessorCount);
}

// The output of kernels appears when the host waits, in the order of the launches of a stream.
#include "check.h"

__global__ void say(const char* unused, int number, double value) {
  if (threadIdx.x == 0) printf("kernel %d: %5.2f %s %c %x\n", number, value, "text", 'c', 255);
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  std::printf("before\n");
  say<<<1, 32, 0, stream>>>(nullptr, 1, 1.5);
  say<<<1, 32, 0, stream>>>(nullptr, 2, -2.25);
  CHECK(cudaStreamSynchronize(stream));
  std::printf("between\n");
  say<<<1, 32>>>(nullptr, 3, 1e6);
  CHECK(cudaDeviceSynchronize());
  std::printf("after\n");
  CHECK(cudaStreamDestroy(stream));
}

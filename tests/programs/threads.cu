// Two host threads, each with its own stream.
#include "check.h"

#include <thread>

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

void work(int* result, int value) {
  int *d, h[16];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d, sizeof h));
  fill<<<1, 16, 0, stream>>>(d, value);
  CHECK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  *result = h[15];
  CHECK(cudaFree(d));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  int first = 0, second = 0;
  std::thread one(work, &first, 11), two(work, &second, 22);
  one.join();
  two.join();
  std::printf("%d %d\n", first, second);
}

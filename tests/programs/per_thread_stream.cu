// Each host thread has its own default stream.
// nvcc: --default-stream=per-thread
#include "check.h"

#include <thread>

__global__ void fill(int* x, int value) { x[threadIdx.x] = value + threadIdx.x; }

void work(int number, int* result) {
  int *d, h[64];
  CHECK(cudaMalloc(&d, sizeof h));
  fill<<<1, 64>>>(d, 1000 * number);
  CHECK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaStreamSynchronize(0));
  *result = h[63];
  CHECK(cudaFree(d));
}

int main() {
  int results[4];
  std::thread threads[4];
  for (int i = 0; i < 4; i++) threads[i] = std::thread(work, i, &results[i]);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d %d %d %d\n", results[0], results[1], results[2], results[3]);
}

// A kernel launches kernels, each for a part of the data.
// run: --kernel parent --grid 1 --block 4 --arg buf:i32:128:zero --arg i32:32 --print x:33:2
// expect: [33] 3 4
// expect: child, launched 4 times
#include "common/check.h"
__global__ void child(int* part, int first) { part[threadIdx.x] = first + threadIdx.x; }
__global__ void parent(int* x, int length) {
  child<<<1, length>>>(x + threadIdx.x * length, 2 * threadIdx.x);
}

int main() {
  std::vector<int> host(128, int(1));
  int* x = to_device(host);
  Timer timer;
  parent<<<1, 4>>>(x, 32);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

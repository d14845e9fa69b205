// A table in constant memory, initialized in the source.
// run: --kernel lookup --grid 1 --block 8 --arg buf:i32:8 --print out:0:8
// expect: [0] 1 1 2 3 5 8 13 21
#include "common/check.h"
__constant__ int fibonacci[] = {1, 1, 2, 3, 5, 8, 13, 21};
__global__ void lookup(int* out) { out[threadIdx.x] = fibonacci[threadIdx.x]; }

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  lookup<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

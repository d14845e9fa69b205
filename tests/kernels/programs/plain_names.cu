// Kernels with C linkage.
// run: --kernel first --grid 1 --block 8 --arg buf:i32:8 --print out:7:1
// expect: [7] 8
// run: --kernel second --grid 1 --block 8 --arg buf:i32:8 --print out:7:1
// expect: [7] 14
#include "common/check.h"
extern "C" {
__global__ void first(int* out) { out[threadIdx.x] = threadIdx.x + 1; }
__global__ void second(int* out) { out[threadIdx.x] = threadIdx.x * 2; }
}

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  first<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

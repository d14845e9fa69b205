// Launch bounds, and read-only data.
// run: --kernel copy --grid 1 --block 128 --arg buf:i32:128:iota --arg buf:i32:128 --print to:127:1
// expect: [127] 127
#include "common/check.h"
__global__ void __launch_bounds__(128, 4) copy(const int* __restrict__ from, int* __restrict__ to) {
  to[threadIdx.x] = __ldg(&from[threadIdx.x]);
}

int main() {
  std::vector<int> host(128, int(1));
  int* x = to_device(host);
  Timer timer;
  copy<<<1, 128>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

// A lambda within a kernel.
// run: --kernel compute --grid 1 --block 8 --arg buf:i32:8 --arg i32:5 --print out:2:1
// expect: [2] 25
#include "common/check.h"
__global__ void compute(int* out, int by) {
  const auto scaled = [=](int x) { return x * by; };
  auto plus = [&](int x) { return scaled(x) + 5 * scaled(1) - 10; };
  out[threadIdx.x] = plus(int(threadIdx.x));
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  compute<<<1, 8>>>(x, 5);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

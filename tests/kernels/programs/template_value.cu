// A template's integer argument unrolls a loop.
// run: --kernel power<5> --grid 1 --block 32 --arg buf:i32:32:iota --print x:3:1
// expect: [3] 243
#include "common/check.h"
template <int N>
__global__ void power(int* x) {
  int base = x[threadIdx.x], product = 1;
#pragma unroll
  for (int i = 0; i < N; ++i) product *= base;
  x[threadIdx.x] = product;
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  power<5><<<1, 32>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

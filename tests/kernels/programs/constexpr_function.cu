// A constant that the compiler computes.
// run: --kernel fill --grid 1 --block 8 --arg buf:i32:8 --print out:1:1
// expect: [1] 720
#include "common/check.h"
constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
template <int N>
struct Table {
  static constexpr int value = factorial(N);
};
__global__ void fill(int* out) { out[threadIdx.x] = Table<6>::value * threadIdx.x; }

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  fill<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

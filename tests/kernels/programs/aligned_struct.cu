// An aligned structure, loaded in one access.
// run: --kernel swap --grid 1 --block 4 --arg buf:f64:8:iota --print pairs:2:2
// expect: [2] 3 2
#include "common/check.h"
struct alignas(16) Pair {
  double first, second;
};
static_assert(sizeof(Pair) == 16, "two doubles");
__global__ void swap(Pair* pairs) {
  Pair p = pairs[threadIdx.x];
  pairs[threadIdx.x] = Pair{p.second, p.first};
}

int main() {
  std::vector<double> host(64, double(1));
  double* x = to_device(host);
  Timer timer;
  swap<<<1, 4>>>((Pair*)x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

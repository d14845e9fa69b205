// A kernel that is visible only in this file.
// run: --kernel shift --grid 1 --block 8 --arg buf:i32:8:iota --print x:0:1
// expect: [0] 100
#include "common/check.h"
namespace {
__device__ constexpr int kBy = 100;
__global__ void shift(int* x) { x[threadIdx.x] += kBy; }
}  // namespace

int main() {
  std::vector<int> host(64, int(1));
  int* x = to_device(host);
  Timer timer;
  shift<<<1, 8>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

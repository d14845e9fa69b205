// The threads of a branch form a group.
// run: --kernel leaders --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:1:zero --print count:0:1
// expect: [0] 22
#include "common/check.h"
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int increment(int* counter) {
  coalesced_group active = coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}
__global__ void leaders(const int* in, int* count) {
  if (in[threadIdx.x] % 3 == 0) increment(count);
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  leaders<<<1, 64>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

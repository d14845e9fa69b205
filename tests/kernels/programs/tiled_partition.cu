// Cooperative groups of 16 threads compute sums.
// run: --kernel sums --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:4 --print out:0:4
// expect: [0] 120 376 632 888
#include "common/check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <class Group>
__device__ int sum_of(const Group& group, int value) {
  for (int i = group.size() / 2; i > 0; i /= 2) value += group.shfl_down(value, i);
  return value;
}
__global__ void sums(const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int sum = sum_of(tile, in[block.thread_rank()]);
  if (tile.thread_rank() == 0) out[block.thread_rank() / 16] = sum;
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  sums<<<1, 64>>>(x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}

// Groups within a warp: active lanes, lanes with the same value, tiles; and what groups compute together.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void groups(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int lane = warp.thread_rank();
  out[lane] = cg::reduce(warp, lane, cg::plus<int>());
  const auto same = cg::labeled_partition(warp, lane % 3);
  out[32 + lane] = cg::reduce(same, lane, cg::greater<int>());
  const auto tile = cg::tiled_partition<8>(warp);
  out[64 + lane] = cg::inclusive_scan(tile, lane);
  if (lane % 5 == 0) {
    const cg::coalesced_group met = cg::coalesced_threads();
    out[96 + lane] = met.size() * 100 + met.thread_rank();
  } else {
    out[96 + lane] = 0;
  }
}

int main() {
  int h[128], *d;
  CHECK(cudaMalloc(&d, sizeof h));
  groups<<<1, 32>>>(d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int row = 0; row < 4; row++) {
    for (int lane = 0; lane < 32; lane++) std::printf("%d ", h[row * 32 + lane]);
    std::printf("\n");
  }
  CHECK(cudaFree(d));
}

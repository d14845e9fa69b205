// Cooperative groups: the block, its tiles, the active lanes, and their collective operations.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// out[g] = the sum of group g of 8 threads.
extern "C" __global__ void tile_sums(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int i = block.group_index().x * block.size() + block.thread_rank();
  int sum = in[i];
  for (int distance = tile.size() / 2; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
  if (tile.thread_rank() == 0) out[i / 8] = sum;
}

extern "C" __global__ void warp_reduce(const int* in, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(warp, in[threadIdx.x], cg::plus<int>());
}

// One addition for all lanes that want a slot.
extern "C" __global__ void reserve_slots(const int* in, int* next, int* slot) {
  slot[threadIdx.x] = -1;
  if (in[threadIdx.x] % 3 != 0) return;
  const auto together = cg::coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0) first = atomicAdd(next, static_cast<int>(together.size()));
  slot[threadIdx.x] = together.shfl(first, 0) + together.thread_rank();
}

// run: --kernel tile_sums --grid 2 --block 64 --arg buf:i32:128:iota --arg buf:i32:16
// run: --kernel warp_reduce --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:64
// run: --kernel reserve_slots --grid 1 --block 64 --arg buf:i32:64:iota --arg buf:i32:1:zero --arg buf:i32:64

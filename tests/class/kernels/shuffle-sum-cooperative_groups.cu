// loses: nothing
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void dot(const TYPE* left, const TYPE* right, TYPE* sums, size_t count)
{
    __shared__ TYPE parts[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    size_t at = (size_t)blockIdx.x * blockDim.x + block.thread_rank();
    TYPE mine = TYPE(0);
    if (at < count)
        mine = left[at] * right[at];
    for (int d = tile.size() / 2; d; d >>= 1)
        mine += tile.shfl_down(mine, d);
    if (tile.thread_rank() == 0)
        parts[tile.meta_group_rank()] = mine;
    block.sync();
    if (tile.meta_group_rank() != 0)
        return;
    TYPE rest = tile.thread_rank() < tile.meta_group_size() ? parts[tile.thread_rank()] : TYPE(0);
    for (int d = 16; d; d >>= 1)
        rest += tile.shfl_down(rest, d);
    if (tile.thread_rank() == 0)
        sums[blockIdx.x] = rest;
}

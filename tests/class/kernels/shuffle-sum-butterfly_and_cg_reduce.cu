// loses: nothing
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE of_warp[BLOCK / 32];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    TYPE v = i < n ? a[i] * b[i] : 0;
    for (int mask = 1; mask < 32; mask *= 2) v += warp.shfl_xor(v, mask);
    if (warp.thread_rank() == 31) of_warp[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        const TYPE part = warp.thread_rank() < BLOCK / 32 ? of_warp[warp.thread_rank()] : TYPE(0);
        const TYPE sum = cg::reduce(warp, part, cg::plus<TYPE>());
        if (warp.thread_rank() == 0) partial[blockIdx.x] = sum;
    }
}

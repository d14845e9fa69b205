// Wrong: a lane is numbered within its warp.

#define ALL_LANES 0xffffffff

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned key = i < n ? keys[i] : BINS;  // beyond the end: a key that no other lane has
    const unsigned same = __match_any_sync(ALL_LANES, key);

    const bool leads = threadIdx.x == __ffs(same) - 1;
    if (leads && i < n)
        atomicAdd(&bins[key], __popc(same));
}

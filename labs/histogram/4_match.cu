// Histogram, aggregated within the warp: lanes with the same key find each other, and one of them adds for all.
//
//     lane          0  1  2  3  4  5  6  7
//     key           3  7  3  3  1  7  3  1
//     same key      {0,2,3,6}  {1,5}  {4,7}      __match_any_sync: for each lane, the mask of those with its key
//     additions     lane 0: +4   lane 1: +2   lane 4: +2
//
// The lowest lane of each group leads it, and __popc counts how many it stands for. Where all keys are alike, one addition
// is made instead of 32; where all differ, looking was in vain. Needs compute capability 7.0.

#define ALL_LANES 0xffffffff

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned key = i < n ? keys[i] : BINS;  // beyond the end: a key that no other lane has
    const unsigned same = __match_any_sync(ALL_LANES, key);

    const bool leads = threadIdx.x % 32 == __ffs(same) - 1;
    if (leads && i < n)
        atomicAdd(&bins[key], __popc(same));
}

// Stream compaction with one atomic addition per warp, for EACH * 32 elements.
//
//     lane          0   1   2   3   4   5   6   7
//     own           3  -1   7   0  -4   1   6  -3
//     ballot        1   0   1   0   0   1   1   0        a bit per lane: __popc counts the kept elements
//     rank          0   .   1   .   .   2   3   .        __popc of the bits below the lane's own bit
//
// A warp counts what it keeps of EACH rows of 32 elements, takes that many places at once, and fills them row by row.
// The elements of a warp stay in order. The order of the warps is that of their additions, which is different in each
// run.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

extern "C" __global__ void compact(const int* in, int* out, unsigned* count, size_t n)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned lower_lanes = (1u << lane) - 1;
    const size_t first = (size_t(blockIdx.x) * WARPS + warp) * (32 * EACH) + lane;

    int own[EACH];
    unsigned kept[EACH], total = 0;
    for (unsigned j = 0; j < EACH; ++j) {
        const size_t i = first + 32 * j;
        own[j] = i < n ? in[i] : 0;
        kept[j] = __ballot_sync(ALL_LANES, own[j] > 0);
        total += __popc(kept[j]);
    }

    unsigned place = 0;
    if (lane == 0 && total > 0)
        place = atomicAdd(count, total);
    place = __shfl_sync(ALL_LANES, place, 0);

    for (unsigned j = 0; j < EACH; ++j) {
        if (own[j] > 0)
            out[place + __popc(kept[j] & lower_lanes)] = own[j];
        place += __popc(kept[j]);
    }
}

// Stream compaction in order and in a single pass: the ballots of 9_compact_warp.cu, the look-back of 7_look_back.cu.
//
//     block 40 looks back     … | 7: PREFIX | 8: SUM | 9: SUM | …  | 38: SUM | 39: SUM |      lane i asks block 39 - i
//
// The sum of a block is the number of elements that it keeps. The sum of all blocks before it is the place of its first
// kept element. Each element is read once, and the result is the same in every run. States and counter are as in
// 6_single_pass.cu.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

typedef unsigned long long Word;  // the state in the upper half, the sum in the lower half

// `launch` counts the launches from 0.
__device__ Word sum_state(Word launch) { return (2 * launch + 1) << 32; }
__device__ Word prefix_state(Word launch) { return (2 * launch + 2) << 32; }

__device__ unsigned scan_warp(unsigned value)  // the inclusive sum
{
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned before = __shfl_up_sync(ALL_LANES, value, step);
        if (threadIdx.x % 32 >= step)
            value += before;
    }
    return value;
}

// The sum of all blocks before this one, in lane 31. The whole warp calls it.
__device__ unsigned look_back(Word* states, int block, Word launch)
{
    const int lane = threadIdx.x % 32;
    unsigned before = 0, complete = 0;  // complete: the lanes that found a PREFIX
    for (int last = block - 1; complete == 0; last -= 32) {
        Word state;
        do  // there is nothing before the first block, so its sum is complete
            state = last >= lane ? atomicAdd(&states[last - lane], 0ull) : prefix_state(launch);
        while (__any_sync(ALL_LANES, state < sum_state(launch)));
        complete = __ballot_sync(ALL_LANES, state >= prefix_state(launch));
        const bool counts = complete == 0 || lane < __ffs(complete);  // up to the nearest PREFIX
        before += scan_warp(counts ? unsigned(state) : 0);
    }
    return before;
}

extern "C" __global__ void compact(const int* in, int* out, unsigned* count, Word* states, Word* started, size_t n)
{
    __shared__ unsigned of_warp[WARPS], before_warp[WARPS];
    __shared__ Word number;  // of this block, among the blocks of all launches

    if (threadIdx.x == 0)
        number = atomicAdd(started, 1ull);

    __syncthreads();

    const Word launch = number / gridDim.x;
    const unsigned block = number % gridDim.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t first = (size_t(block) * WARPS + warp) * (32 * EACH) + lane;

    int own[EACH];
    for (unsigned j = 0; j < EACH; ++j)
        own[j] = first + 32 * j < n ? in[first + 32 * j] : 0;

    unsigned kept[EACH], total = 0;
    for (unsigned j = 0; j < EACH; ++j) {
        kept[j] = __ballot_sync(ALL_LANES, own[j] > 0);
        total += __popc(kept[j]);
    }
    if (lane == 0)
        of_warp[warp] = total;

    __syncthreads();

    if (warp == 0) {
        const unsigned of_own = lane < WARPS ? of_warp[lane] : 0, up_to = scan_warp(of_own);
        if (lane == 31)
            atomicExch(&states[block], sum_state(launch) | up_to);
        const unsigned before_block = __shfl_sync(ALL_LANES, look_back(states, block, launch), 31);
        if (lane == 31) {
            atomicExch(&states[block], prefix_state(launch) | (before_block + up_to));
            if (block == gridDim.x - 1)
                *count = before_block + up_to;
        }
        if (lane < WARPS)
            before_warp[lane] = before_block + up_to - of_own;
    }

    __syncthreads();

    unsigned place = before_warp[warp];
    for (unsigned j = 0; j < EACH; ++j) {
        if (own[j] > 0)
            out[place + __popc(kept[j] & ((1u << lane) - 1))] = own[j];
        place += __popc(kept[j]);
    }
}

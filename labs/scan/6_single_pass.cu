// Scan in a single pass: a block looks back at the blocks before it, instead of leaving its sum to another kernel.
//
//     state of a block    NOTHING   SUM: its own elements   PREFIX: all elements up to its end
//     block 5 adds        … block 2: PREFIX <- block 3: SUM <- block 4: SUM <- 5
//
// The other scans read and write every element twice; this scan reads and writes each once. A block may wait only for
// blocks that have started. So it takes its number from a counter when it starts: all blocks with smaller numbers have
// started before. State and sum are in one word of 64 bits, which atomics read and write as a whole (Merrill and Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
//
// The counter and the states are 0 before the first launch. The next launch continues to count, so nothing has to be
// reset: a state that an earlier launch left is smaller than those of this launch, and means NOTHING.

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

// The sum of all blocks before this one.
__device__ unsigned look_back(Word* states, unsigned block, Word launch)
{
    unsigned before = 0;
    while (block > 0) {
        const Word state = atomicAdd(&states[block - 1], 0ull);  // reads it
        if (state >= sum_state(launch)) {                         // otherwise the sum is not there yet: ask again
            before += unsigned(state);
            if (state >= prefix_state(launch))
                break;
            --block;
        }
    }
    return before;
}

extern "C" __global__ void scan(const unsigned* in, unsigned* out, Word* states, Word* started, size_t n)
{
    __shared__ unsigned of_warp[WARPS], to_warp[WARPS];  // the sum of each warp; the sum up to its end
    __shared__ unsigned before_block;
    __shared__ Word number;  // of this block, among the blocks of all launches

    if (threadIdx.x == 0)
        number = atomicAdd(started, 1ull);

    __syncthreads();

    const Word launch = number / gridDim.x;
    const unsigned block = number % gridDim.x;

    const size_t i = size_t(block) * BLOCK + threadIdx.x;
    const unsigned warp = threadIdx.x / 32, own = i < n ? in[i] : 0;
    const unsigned sum = scan_warp(own);
    if (threadIdx.x % 32 == 31)
        of_warp[warp] = sum;

    __syncthreads();

    if (warp == 0) {
        const unsigned of_warps = scan_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x < WARPS)
            to_warp[threadIdx.x] = of_warps;
        if (threadIdx.x == WARPS - 1) {
            atomicExch(&states[block], sum_state(launch) | of_warps);
            before_block = look_back(states, block, launch);
            atomicExch(&states[block], prefix_state(launch) | (before_block + of_warps));
        }
    }

    __syncthreads();

    const unsigned before = before_block + (warp > 0 ? to_warp[warp - 1] : 0);
    if (i < n)
        out[i] = before + sum - own;
}

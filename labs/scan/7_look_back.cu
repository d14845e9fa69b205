// Scan in a single pass at the speed of memory: many elements per thread, and a whole warp that looks back.
//
//     a warp's elements       lane 0    lane 1    lane 2        lane 31      16 bytes per lane and chunk, so adjacent
//     chunk 0                 0-3       4-7       8-11     …    124-127      lanes access adjacent bytes
//     chunk 1                 128-131   132-135   136-139  …    252-255      the sum of a chunk continues in the next
//
//     block 40 looks back     … | 7: PREFIX | 8: SUM | 9: SUM | …  | 38: SUM | 39: SUM |      lane i asks block 39 - i,
//                                 lane 32                            lane 1    lane 0         then 32 more, until a PREFIX
//
// In 6_single_pass.cu a block of 256 threads has 256 elements, and one thread looks back block by block: a dependency
// chain through half a million blocks. Here a thread has EACH = 32 elements, so there are 32 times fewer blocks, and 32
// lanes ask at once. States, sums and the counter are the same.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff
#define CHUNKS (EACH / 4)  // per thread

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

__device__ unsigned add_warp(unsigned value)  // the sum of all lanes, in each lane
{
    for (unsigned step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

// The sum of all blocks before this one. The whole warp calls it.
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
        before += add_warp(counts ? unsigned(state) : 0);
    }
    return before;
}

__device__ uint4 load(const unsigned* in, size_t first, size_t n)  // zeros beyond the end
{
    if (first + 4 <= n)
        return *(const uint4*)&in[first];
    return {first < n ? in[first] : 0, first + 1 < n ? in[first + 1] : 0, first + 2 < n ? in[first + 2] : 0, 0};
}

__device__ void store(unsigned* out, size_t first, size_t n, uint4 chunk)
{
    if (first + 4 <= n)
        __stcg((uint4*)&out[first], chunk);  // in one access: the compiler may split a plain assignment
    else
        for (size_t i = first; i < n; ++i)
            out[i] = i == first ? chunk.x : i == first + 1 ? chunk.y : chunk.z;
}

extern "C" __global__ void scan(const unsigned* in, unsigned* out, Word* states, Word* started, size_t n)
{
    __shared__ unsigned of_warp[WARPS], before_warp[WARPS];
    __shared__ Word number;  // of this block, among the blocks of all launches

    if (threadIdx.x == 0)
        number = atomicAdd(started, 1ull);

    __syncthreads();

    const Word launch = number / gridDim.x;
    const unsigned block = number % gridDim.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t first = (size_t(block) * WARPS + warp) * (32 * EACH) + 4 * lane;

    uint4 own[CHUNKS];
    for (unsigned i = 0; i < CHUNKS; ++i)
        own[i] = load(in, first + 128 * i, n);

    unsigned before[CHUNKS], sum = 0;  // of the warp's elements before each chunk; of its elements so far
    for (unsigned i = 0; i < CHUNKS; ++i) {
        const unsigned of_chunk = own[i].x + own[i].y + own[i].z + own[i].w, up_to = scan_warp(of_chunk);
        before[i] = sum + up_to - of_chunk;
        sum += __shfl_sync(ALL_LANES, up_to, 31);
    }
    if (lane == 0)
        of_warp[warp] = sum;

    __syncthreads();

    if (warp == 0) {
        const unsigned of_own = lane < WARPS ? of_warp[lane] : 0, up_to = scan_warp(of_own);
        const unsigned of_block = __shfl_sync(ALL_LANES, up_to, 31);
        if (lane == 0)
            atomicExch(&states[block], sum_state(launch) | of_block);
        const unsigned before_block = look_back(states, block, launch);
        if (lane == 0)
            atomicExch(&states[block], prefix_state(launch) | (before_block + of_block));
        if (lane < WARPS)
            before_warp[lane] = before_block + up_to - of_own;
    }

    __syncthreads();

    for (unsigned i = 0; i < CHUNKS; ++i) {
        const unsigned x = before_warp[warp] + before[i], y = x + own[i].x, z = y + own[i].y;
        store(out, first + 128 * i, n, {x, y, z, z + own[i].z});
    }
}

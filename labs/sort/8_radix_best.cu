// LSD radix sort at the speed of memory: digits of 8 bits, so 32 bits take 4 passes, and each pass reads and writes the keys once.
//
//     count_digits    counts the digits of all passes in one read of the keys
//     scan_digits     where the keys of each digit begin, for each pass
//     sort_digit      a pass; a block looks back at the counts of the blocks before it, once per digit:
//
//         thread d    … | tile 7: PREFIX | tile 8: SUM | tile 9: SUM |  tile 10 adds up its digit d, back to a PREFIX
//
// The block has as many threads as a digit has values, so thread d looks after digit d. States are those of the lab scan
// (scan/6_single_pass.cu): a block takes its number from a counter, because it may wait only for blocks that have started.

#define DIGIT 8
#define RADIX 256  // also the threads of a block
#define WARPS (RADIX / 32)
#define TILE (RADIX * EACH)
#define ALL_LANES 0xffffffff

typedef unsigned long long Word;  // a state: its kind in the upper half, a count in the lower half

// `launch` counts the launches from 0.
__device__ Word sum_state(Word launch) { return (2 * launch + 1) << 32; }
__device__ Word prefix_state(Word launch) { return (2 * launch + 2) << 32; }

__device__ unsigned digit_of(unsigned key, unsigned shift) { return key >> shift & (RADIX - 1); }

// The sum of `value` over all threads of the block before this one.
__device__ unsigned scan_block(unsigned value)
{
    __shared__ unsigned of_warp[WARPS];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    unsigned sum = value;
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned before = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane >= step)
            sum += before;
    }
    if (lane == 31)
        of_warp[warp] = sum;

    __syncthreads();

    for (unsigned w = 0; w < warp; ++w)
        sum += of_warp[w];
    return sum - value;
}

__device__ unsigned rank_in_warp(unsigned* counts, unsigned digit)  // see 5_digits.cu
{
    const unsigned lane = threadIdx.x % 32, same = __match_any_sync(ALL_LANES, digit);
    const unsigned before = counts[digit];
    __syncwarp();
    if (lane == 31 - __clz(same))
        counts[digit] = before + __popc(same);
    __syncwarp();
    return before + __popc(same & ((1u << lane) - 1));
}

// The keys with the thread's digit in all tiles before this one.
__device__ unsigned look_back(Word* states, unsigned tile, Word launch)
{
    unsigned before = 0;
    for (unsigned last = tile; last > 0; --last) {
        Word state;
        do
            state = atomicAdd(&states[(last - 1) * RADIX + threadIdx.x], 0ull);
        while (state < sum_state(launch));
        before += unsigned(state);
        if (state >= prefix_state(launch))
            break;
    }
    return before;
}

extern "C" __global__ void count_digits(const unsigned* keys, unsigned* counts, unsigned n)
{
    __shared__ unsigned own[PASSES][RADIX];
    for (unsigned pass = 0; pass < PASSES; ++pass)
        own[pass][threadIdx.x] = 0;

    __syncthreads();

    for (unsigned j = 0; j < EACH; ++j) {
        const unsigned i = blockIdx.x * TILE + j * RADIX + threadIdx.x;
        for (unsigned pass = 0; pass < PASSES && i < n; ++pass)
            atomicAdd(&own[pass][digit_of(keys[i], DIGIT * pass)], 1u);
    }

    __syncthreads();

    for (unsigned pass = 0; pass < PASSES; ++pass)
        atomicAdd(&counts[pass * RADIX + threadIdx.x], own[pass][threadIdx.x]);
}

extern "C" __global__ void scan_digits(const unsigned* counts, unsigned* starts)  // a block per pass
{
    const unsigned i = blockIdx.x * RADIX + threadIdx.x;
    starts[i] = scan_block(counts[i]);
}

extern "C" __global__ void sort_digit(const unsigned* in, unsigned* out, const unsigned* starts, Word* states, Word* started,
                                      unsigned pass, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX], move[RADIX], tile[TILE];
    __shared__ Word number;  // of this block, among the blocks of all launches

    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, shift = DIGIT * pass;
    if (threadIdx.x == 0)
        number = atomicAdd(started, 1ull);
    for (unsigned w = 0; w < WARPS; ++w)
        counts[w][threadIdx.x] = 0;

    __syncthreads();

    const Word launch = number / gridDim.x;
    const unsigned block = number % gridDim.x;

    unsigned keys[EACH], ranks[EACH];
    for (unsigned j = 0; j < EACH; ++j) {
        const unsigned i = block * TILE + warp * (32 * EACH) + 32 * j + lane;
        keys[j] = i < n ? in[i] : 0xffffffff;  // the largest key: its place is beyond the end, too
    }
    for (unsigned j = 0; j < EACH; ++j)
        ranks[j] = rank_in_warp(counts[warp], digit_of(keys[j], shift));

    __syncthreads();

    unsigned count = 0;  // of the thread's digit in the tile
    for (unsigned w = 0; w < WARPS; ++w)
        count += counts[w][threadIdx.x];
    Word* state = &states[block * RADIX + threadIdx.x];
    atomicExch(state, sum_state(launch) | count);

    unsigned place = scan_block(count);  // of the digit's first key in the sorted tile
    const unsigned first = place;
    for (unsigned w = 0; w < WARPS; ++w) {
        const unsigned of_warp = counts[w][threadIdx.x];
        counts[w][threadIdx.x] = place;
        place += of_warp;
    }

    const unsigned before = look_back(states, block, launch);
    atomicExch(state, prefix_state(launch) | (before + count));
    move[threadIdx.x] = starts[pass * RADIX + threadIdx.x] + before - first;

    __syncthreads();

    for (unsigned j = 0; j < EACH; ++j)
        tile[counts[warp][digit_of(keys[j], shift)] + ranks[j]] = keys[j];

    __syncthreads();

    for (unsigned i = threadIdx.x; i < TILE; i += RADIX) {
        const unsigned place_in_all = i + move[digit_of(tile[i], shift)];
        if (place_in_all < n)
            out[place_in_all] = tile[i];
    }
}

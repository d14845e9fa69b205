// What the passes of 6_radix.cu and 7_radix_local.cu share: the digits of each block are counted, then the counts are scanned.
//
//     counts        block 0   1   2   3           the counts of digit 0 in all blocks, then those of digit 1, …
//     digit 0             5   3   4   4
//     digit 1             2   6   1   7           after the exclusive scan in this order, each count is the place of the
//     …                                           first key with this digit of this block

#define RADIX (1 << DIGIT)  // a digit is DIGIT bits of a key
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * EACH)  // keys per block, EACH per thread
#define ALL_LANES 0xffffffff

__device__ unsigned digit_of(unsigned key, unsigned shift) { return key >> shift & (RADIX - 1); }

// A warp has 32 * EACH adjacent keys of the tile, and reads 32 adjacent ones at a time. All loads are in flight together.
__device__ void load_keys(unsigned own[EACH], const unsigned* keys, unsigned n)
{
    const unsigned first = blockIdx.x * TILE + threadIdx.x / 32 * (32 * EACH) + threadIdx.x % 32;
    for (unsigned j = 0; j < EACH; ++j) {
        const unsigned i = first + 32 * j;
        own[j] = i < n ? keys[i] : 0xffffffff;  // the largest key: it stays behind all others, so its place is beyond the end
    }
}

// Returns how many keys with this digit the warp has seen before, and counts the warp's keys. `counts` are those of the warp.
__device__ unsigned rank_in_warp(unsigned* counts, unsigned digit)
{
    const unsigned lane = threadIdx.x % 32, same = __match_any_sync(ALL_LANES, digit);  // the lanes with this digit
    const unsigned before = counts[digit];
    __syncwarp();
    if (lane == 31 - __clz(same))  // the last of these lanes
        counts[digit] = before + __popc(same);
    __syncwarp();
    return before + __popc(same & ((1u << lane) - 1));
}

__device__ void clear_counts(unsigned counts[WARPS][RADIX])
{
    for (unsigned i = threadIdx.x; i < WARPS * RADIX; i += BLOCK)
        counts[i / RADIX][i % RADIX] = 0;

    __syncthreads();
}

extern "C" __global__ void count_digits(const unsigned* keys, unsigned* of_block, unsigned shift, unsigned n)
{
    __shared__ unsigned counts[WARPS][RADIX];
    clear_counts(counts);

    unsigned own[EACH];
    load_keys(own, keys, n);
    for (unsigned j = 0; j < EACH; ++j)
        rank_in_warp(counts[threadIdx.x / 32], digit_of(own[j], shift));

    __syncthreads();

    for (unsigned digit = threadIdx.x; digit < RADIX; digit += BLOCK) {
        unsigned sum = 0;
        for (unsigned warp = 0; warp < WARPS; ++warp)
            sum += counts[warp][digit];
        of_block[digit * gridDim.x + blockIdx.x] = sum;
    }
}

// One block, which scans SUMS_BLOCK * SUMS_EACH counts per round.
extern "C" __global__ void scan_counts(const unsigned* counts, unsigned* places, unsigned count)
{
    __shared__ unsigned sums[2][SUMS_BLOCK];

    unsigned carry = 0;  // the sum of all rounds before this one
    for (unsigned round = 0; round < count; round += SUMS_BLOCK * SUMS_EACH) {
        const unsigned first = round + threadIdx.x * SUMS_EACH;
        unsigned own[SUMS_EACH], sum = 0, now = 0;
        for (unsigned j = 0; j < SUMS_EACH; ++j) {
            own[j] = first + j < count ? counts[first + j] : 0;
            sum += own[j];
        }
        unsigned up_to = sum;  // of all threads up to this one: the scan of Hillis and Steele
        sums[now][threadIdx.x] = up_to;
        for (unsigned step = 1; step < SUMS_BLOCK; step *= 2, now = 1 - now) {
            __syncthreads();
            if (threadIdx.x >= step)
                up_to += sums[now][threadIdx.x - step];
            sums[1 - now][threadIdx.x] = up_to;
        }
        __syncthreads();
        unsigned before = carry + up_to - sum;
        for (unsigned j = 0; j < SUMS_EACH && first + j < count; ++j) {
            places[first + j] = before;
            before += own[j];
        }
        carry += sums[now][SUMS_BLOCK - 1];
        __syncthreads();
    }
}

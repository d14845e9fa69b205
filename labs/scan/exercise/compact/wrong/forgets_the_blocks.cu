// Wrong: the elements of all blocks are written to the same places.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

extern "C" __global__ void count_kept(const int* in, unsigned* of_block, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const int kept = __syncthreads_count(i < n && in[i] > 0);  // a barrier that counts the threads with a true value

    if (threadIdx.x == 0)
        of_block[blockIdx.x] = kept;
}

// One block, which scans SUMS_BLOCK counts per round as 1_hillis_steele.cu does.
extern "C" __global__ void scan_counts(const unsigned* of_block, unsigned* before, unsigned blocks)
{
    __shared__ unsigned sums[2][SUMS_BLOCK];

    unsigned carry = 0;  // the sum of all rounds before this one
    for (unsigned first = 0; first < blocks; first += SUMS_BLOCK) {
        const unsigned i = first + threadIdx.x, own = i < blocks ? of_block[i] : 0;
        unsigned sum = own, now = 0;
        sums[now][threadIdx.x] = sum;
        for (unsigned step = 1; step < SUMS_BLOCK; step *= 2, now = 1 - now) {
            __syncthreads();
            if (threadIdx.x >= step)
                sum += sums[now][threadIdx.x - step];
            sums[1 - now][threadIdx.x] = sum;
        }
        __syncthreads();
        if (i < blocks)
            before[i] = carry + sum - own;
        carry += sums[now][SUMS_BLOCK - 1];
        __syncthreads();
    }
}

extern "C" __global__ void write_kept(const int* in, int* out, const unsigned* before, unsigned* count, size_t n)
{
    __shared__ unsigned of_warp[WARPS];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int own = i < n ? in[i] : 0;
    const unsigned kept = __ballot_sync(ALL_LANES, own > 0);
    if (lane == 0)
        of_warp[warp] = __popc(kept);

    __syncthreads();

    unsigned place = __popc(kept & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; ++w)
        place += of_warp[w];

    if (own > 0)
        out[place] = own;
    if (i == n - 1)  // the thread of the last element knows how many are kept
        *count = place + (own > 0);
}

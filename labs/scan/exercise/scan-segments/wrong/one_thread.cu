// Wrong: one thread of each block adds all ranges.

struct alignas(8) Range {  // aligned, so it moves in one access
    unsigned sum;          // from the last flag on, or of the whole range
    unsigned is_open;      // whether it has no flag
};

__device__ Range add(Range left, Range right)
{
    return right.is_open ? Range{left.sum + right.sum, left.is_open} : right;
}

// The range from the block's first element up to and with this thread's. Calls need a barrier between them.
__device__ Range scan_block(Range own)
{
    __shared__ Range ranges[2][1024];

    unsigned now = 0;
    ranges[now][threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned t = 1; t < blockDim.x; ++t)
            ranges[now][t] = add(ranges[now][t - 1], ranges[now][t]);
    __syncthreads();
    own = ranges[now][threadIdx.x];
    __syncthreads();
    return own;
}

extern "C" __global__ void scan_segments(const unsigned* in, const unsigned char* flags, unsigned* out,
                                         unsigned* of_block, unsigned* open, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned own = i < n ? in[i] : 0;
    const Range range = scan_block({own, i >= n || flags[i] == 0});

    if (i < n)
        out[i] = range.sum - own;
    const unsigned open_threads = __syncthreads_count(range.is_open);
    if (threadIdx.x == BLOCK - 1) {
        of_block[blockIdx.x] = range.sum;
        open[blockIdx.x] = open_threads;
    }
}

extern "C" __global__ void scan_blocks(const unsigned* of_block, const unsigned* open, unsigned* before, unsigned count)
{
    __shared__ Range last;

    Range carry = {0, true};  // all rounds before this one
    for (unsigned first = 0; first < count; first += SUMS_BLOCK) {
        const unsigned i = first + threadIdx.x;
        const Range own = i < count ? Range{of_block[i], open[i] == BLOCK} : Range{0, true};
        const Range up_to = add(carry, scan_block(own));
        if (i + 1 < count)
            before[i + 1] = up_to.sum;
        if (threadIdx.x == SUMS_BLOCK - 1)
            last = up_to;
        __syncthreads();
        carry = last;
    }
}

extern "C" __global__ void add_before(unsigned* out, const unsigned* before, const unsigned* open, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;

    if (i < n && blockIdx.x > 0 && threadIdx.x < open[blockIdx.x])
        out[i] += before[blockIdx.x];
}

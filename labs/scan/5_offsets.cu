// Offsets: one block scans the sums of all blocks, then every block adds the sum of the blocks before it.

extern "C" __global__ void scan_sums(unsigned* of_block, unsigned count)
{
    __shared__ unsigned sums[2][SUMS_BLOCK];

    unsigned carry = 0;  // the sum of all rounds before this one
    for (unsigned first = 0; first < count; first += SUMS_BLOCK) {
        const unsigned i = first + threadIdx.x, own = i < count ? of_block[i] : 0;
        unsigned now = 0;
        sums[now][threadIdx.x] = own;
        for (unsigned step = 1; step < SUMS_BLOCK; step *= 2) {
            __syncthreads();
            const unsigned before = threadIdx.x >= step ? sums[now][threadIdx.x - step] : 0;
            sums[1 - now][threadIdx.x] = sums[now][threadIdx.x] + before;
            now = 1 - now;
        }
        __syncthreads();
        if (i < count)
            of_block[i] = carry + sums[now][threadIdx.x] - own;
        carry += sums[now][SUMS_BLOCK - 1];
        __syncthreads();
    }
}

extern "C" __global__ void add_offsets(unsigned* out, const unsigned* of_block, unsigned of_one_block, size_t n)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] += of_block[i / of_one_block];
}

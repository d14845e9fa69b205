// Wrong: the last step is left out.

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned sums[2][BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned own = i < n ? in[i] : 0;
    unsigned now = 0;
    sums[now][threadIdx.x] = own;

    for (unsigned step = 1; step < BLOCK / 2; step *= 2) {
        __syncthreads();
        const unsigned before = threadIdx.x >= step ? sums[now][threadIdx.x - step] : 0;
        sums[1 - now][threadIdx.x] = sums[now][threadIdx.x] + before;
        now = 1 - now;
    }

    if (i < n)
        out[i] = sums[now][threadIdx.x] - own;  // exclusive: the sum of the elements before this one
    if (threadIdx.x == BLOCK - 1)
        of_block[blockIdx.x] = sums[now][threadIdx.x];
}

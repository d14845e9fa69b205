// Scan by Hillis and Steele: in each step, every element adds the element `step` before it, and the step doubles.
//
//     in          3   1   7   0   4   1   6   3
//     step 1      3   4   8   7   4   5   7   9        each element is the sum of 2
//     step 2      3   4  11  11  12  12  11  14        … of 4
//     step 4      3   4  11  11  15  16  22  25        … of 8: the inclusive sums
//
// Nearly all threads add in each of the log2(BLOCK) steps: about BLOCK log2(BLOCK) additions, where a loop needs BLOCK
// - 1. The steps alternate between two buffers, so no thread reads an element that another one has already changed.

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned sums[2][BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned own = i < n ? in[i] : 0;
    unsigned now = 0;
    sums[now][threadIdx.x] = own;

    for (unsigned step = 1; step < BLOCK; step *= 2) {
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

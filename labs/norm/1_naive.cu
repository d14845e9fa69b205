// Naive norm: the root of the dot product of x with itself. A block adds up the squares of its part, as a tree.
//
//     |x| = sqrt(x[0]*x[0] + x[1]*x[1] + … )      the root is taken on the host, from the sum of all blocks' sums
//
// It is right as long as the squares can be held. The square of 2^100 is 2^200, and a float ends at 2^128: infinity.
// The square of 2^-100 is 2^-200, and a float ends at 2^-149: zero. The norm itself would be no problem.

extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n)
{
    __shared__ TYPE sum[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const TYPE value = i < n ? x[i] : 0;
    sum[threadIdx.x] = value * value;

    __syncthreads();

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum[0];
}

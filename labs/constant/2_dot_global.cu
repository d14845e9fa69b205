// Dot product of a and vector, both in global memory: for comparison.
//
// A thread multiplies one pair; the block adds up its products in a tree and leaves one sum. The host adds the sums of
// the blocks.

extern "C" __global__ void dot(const TYPE* a, const TYPE* vector, TYPE* sum_of_block, unsigned count)
{
    __shared__ TYPE partial[BLOCK];

    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    partial[threadIdx.x] = i < count ? a[i] * vector[i] : 0;
    __syncthreads();

    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum_of_block[blockIdx.x] = partial[0];
}

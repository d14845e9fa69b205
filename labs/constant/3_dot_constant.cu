// Dot product of a and vector, with vector in constant memory, LENGTH elements (64 KB) at a time.
//
//     vector  | piece 0 | piece 1 | piece 2 | 3 |        the host copies a piece into `vector`, starts the kernel for
//     a       | piece 0 | piece 1 | piece 2 | 3 |        the same piece of a, and goes on with the next
//
// A thread multiplies one pair; the block adds up its products in a tree and leaves one sum. The host adds the sums of
// the blocks.
//
// Thread i reads vector[i]: 32 addresses in a warp, and constant memory gives out one at a time.

__constant__ TYPE vector[LENGTH];

extern "C" __global__ void dot(const TYPE* a, TYPE* sum_of_block, unsigned count)
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

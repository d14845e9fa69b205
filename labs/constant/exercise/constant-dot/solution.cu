// Dot product of a and vector, with LENGTH elements (at most 64 KB) of vector at a time in constant memory.
//
//     vector  | chunk 0 | chunk 1 | chunk 2 | 3 |        the host copies a chunk into `vector`, starts the kernel for
//     a       | chunk 0 | chunk 1 | chunk 2 | 3 |        the same chunk of a, and continues with the next one
//
// A launch receives `count` elements of a and the same number of elements of vector, from 0 on. A block stores one sum.

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

// Dot product of a and vector, with LENGTH elements (at most 64 KB) of vector at a time in constant memory.
//
//     vector  | chunk 0 | chunk 1 | chunk 2 | 3 |        the host copies a chunk into `vector`, starts the kernel for
//     a       | chunk 0 | chunk 1 | chunk 2 | 3 |        the same chunk of a, and continues with the next one
//
// A launch receives `count` elements of a and the same number of elements of vector, from 0 on. A block stores one sum.

__constant__ TYPE vector[LENGTH];  // the host fills it before each launch; kernels can only read it

extern "C" __global__ void dot(const TYPE* a, TYPE* sum_of_block, unsigned count)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    // TODO: multiply element i of a with element i of vector, if there is one.

    // TODO: add the products of the block in a tree. BLOCK is a power of two here.

    // TODO: thread 0 stores the sum in sum_of_block[blockIdx.x].
}

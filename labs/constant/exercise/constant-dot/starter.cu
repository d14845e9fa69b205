// Dot product of a and vector, with vector in constant memory, LENGTH elements (at most 64 KB) at a time.
//
//     vector  | piece 0 | piece 1 | piece 2 | 3 |        the host copies a piece into `vector`, starts the kernel for
//     a       | piece 0 | piece 1 | piece 2 | 3 |        the same piece of a, and goes on with the next
//
// So a kernel sees `count` elements of a, and as many of vector from element 0 on. A block leaves one sum.

__constant__ TYPE vector[LENGTH];  // the host fills it before each launch; kernels can only read it

extern "C" __global__ void dot(const TYPE* a, TYPE* sum_of_block, unsigned count)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    // TODO: multiply element i of a with element i of vector, if there is one.

    // TODO: add up the products of the block as a tree. BLOCK is a power of two here.

    // TODO: thread 0 stores the sum in sum_of_block[blockIdx.x].
}

// Euclidean norm: the square root of the sum of all squares. A block adds the squares of its part; the host adds
// the sums of the blocks and takes the root.
//
//     |x| = sqrt(x[0]*x[0] + x[1]*x[1] + … )
//
// A block has BLOCK threads, and thread t of block b has the element x[b * BLOCK + t], if there is one.

extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n)
{
    // TODO: every thread writes the square of its element to a shared array, or 0 if it has no element.

    // TODO: add the array in a tree: half of the threads add, then a quarter, … until one sum is left. BLOCK need not
    //       be a power of two: 5 sums must become 3, for example. Think of the barriers.

    // TODO: one thread stores the sum of the block in partial[blockIdx.x].
}

// Dot product, from global memory: one thread of each block adds up the block's part.
//
//     a, b       | BLOCK elements | BLOCK elements | … |
//     partial    |       0        |       1        | … |     one sum a block; who adds those up, comes later
//
// The other threads of the block have nothing to do. The one that works reads 4 or 8 bytes at a time, all alone: each
// of its loads brings a sector of 32 bytes, of which it takes one element.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (size_t i = first; i < first + BLOCK && i < n; ++i)
            sum += a[i] * b[i];
        partial[blockIdx.x] = sum;
    }
}

// Dot product from global memory: one thread per block adds all products of the block.
//
//     a, b       | BLOCK elements | BLOCK elements | … |
//     partial    |       0        |       1        | … |     one sum per block; a later step adds these
//
// The other threads of the block are idle. The working thread reads 4 or 8 bytes per load. Each load fetches a
// sector of 32 bytes, of which it uses one element.

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

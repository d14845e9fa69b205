// Dot product through shared memory: all threads copy the block's elements to two shared arrays; one thread adds.
//
//     a, b (global)    | t0 t1 t2 … | BLOCK elements | … |
//                        |  |  |
//     x, y (shared)    | t0 t1 t2 … |     -> thread 0 ->  partial[block]
//
// A block has BLOCK threads. Its elements begin at blockIdx.x * BLOCK; the last block may have fewer elements.
//
// This version computes the right result, but thread 0 reads everything from global memory itself. The other 31
// lanes of its warp wait, and every load fetches a sector of 32 bytes for one element. Let all threads read.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;

    // TODO: declare two shared arrays, x and y, of BLOCK elements each.

    // TODO: every thread copies one element of a to x and one of b to y, or 0 beyond the end of the vectors.

    // TODO: no thread may read x and y before all threads have written: put a barrier here.

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            if (first + j < n)
                sum += a[first + j] * b[first + j];  // TODO: take the factors from x and y.
        partial[blockIdx.x] = sum;
    }
}

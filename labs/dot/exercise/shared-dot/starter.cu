// Dot product through shared memory: all threads copy the block's part into two shared arrays, one adds it up.
//
//     a, b (global)    | t0 t1 t2 … | BLOCK elements | … |
//                        |  |  |
//     x, y (shared)    | t0 t1 t2 … |     -> thread 0 ->  partial[block]
//
// A block has BLOCK threads. Its part begins at element blockIdx.x * BLOCK; the part of the last block may end early.
//
// This version gives a right result: thread 0 reads everything from global memory itself. Its 31 neighbours wait, and
// every load brings a sector of 32 bytes for the sake of one element. Let all threads do the reading.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;

    // TODO: declare two shared arrays, x and y, of BLOCK elements each.

    // TODO: every thread copies one element of a to x, and one of b to y; a 0 where the vectors have ended.

    // TODO: nobody may read x and y before all threads have written: put a barrier here.

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            if (first + j < n)
                sum += a[first + j] * b[first + j];  // TODO: take the factors from x and y.
        partial[blockIdx.x] = sum;
    }
}

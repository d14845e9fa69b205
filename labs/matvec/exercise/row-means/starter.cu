// Row means of a batch of matrices, then a matrix-vector product with them. A whole warp reads each row.
//
//     means    matrix n, rows x columns           product    m2, rows x rows      mean
//              +--------------------+             for each   +------------+       +----+
//     warp w   | t0 t1 … t31 t0 t1 …| mean        row:       | t0 t1 t2 … |   x   | t0 |  partial, then a tree:
//     adds up  | t0 t1 … t31 t0 t1 …|                        |            |       | t1 |  v2[n][row]
//     row w    +--------------------+                        +------------+       +----+
//
// BLOCK, the number of threads, is a power of two and at least `rows`. There are BLOCK / 32 warps, and there may
// be more rows than warps.

__device__ TYPE warp_sum(TYPE value)  // valid in lane 0
{
    for (unsigned step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

extern "C" __global__ void mean_matvec(const TYPE* batch, const TYPE* m2, TYPE* v2, unsigned matrices,
                                       unsigned rows, unsigned columns)
{
    __shared__ TYPE mean[BLOCK], partial[BLOCK];

    const unsigned thread = threadIdx.x;  // TODO: which warp of the block, and which lane of the warp, is that?

    for (unsigned n = blockIdx.x; n < matrices; n += gridDim.x) {
        const TYPE* matrix = batch + size_t(n) * rows * columns;

        // TODO: here each thread walks along its own row, so in each step the 32 threads of a warp read 32 different rows.
        //       Let each warp take a row: its lanes read 32 adjacent elements, then the next 32, and warp_sum adds the
        //       lanes' sums. Warp w takes the rows w, w + number of warps, and so on.
        if (thread < rows) {
            TYPE sum = 0;
            for (unsigned column = 0; column < columns; ++column)
                sum += matrix[size_t(thread) * columns + column];
            mean[thread] = sum / columns;
        }
        __syncthreads();

        for (unsigned row = 0; row < rows; ++row) {
            partial[thread] = thread < rows ? m2[row * rows + thread] * mean[thread] : 0;
            __syncthreads();
            for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
                if (thread < step)
                    partial[thread] += partial[thread + step];
                __syncthreads();
            }
            if (thread == 0)
                v2[size_t(n) * rows + row] = partial[0];
            __syncthreads();
        }
    }
}

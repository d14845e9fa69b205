// Version 1: one block does everything, one matrix after the other.
//
//     means    matrix n, rows x columns           product    m2, rows x rows      mean
//              +--------------------+ t0  mean    for each   +------------+       +----+
//     thread l | -----------------> | t1          row:       | t0 t1 t2 … |   x   | t0 |  partial, then a tree:
//     adds up  | -----------------> | t2                     |            |       | t1 |  v2[n][row]
//     row l    +--------------------+ …                      +------------+       +----+
//
// A thread keeps the mean of its row. BLOCK, the number of threads, is a power of two, and no less than rows.

extern "C" __global__ void mean_matvec(const TYPE* batch, const TYPE* m2, TYPE* v2, unsigned matrices,
                                       unsigned rows, unsigned columns)
{
    __shared__ TYPE partial[BLOCK];

    const unsigned thread = threadIdx.x;

    for (unsigned n = 0; n < matrices; ++n) {
        const TYPE* matrix = batch + size_t(n) * rows * columns;

        TYPE mean = 0;
        if (thread < rows) {
            for (unsigned column = 0; column < columns; ++column)
                mean += matrix[size_t(thread) * columns + column];
            mean /= columns;
        }

        for (unsigned row = 0; row < rows; ++row) {
            partial[thread] = thread < rows ? m2[row * rows + thread] * mean : 0;
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

// Version 3: a warp reads a row together.
//
//     means    matrix n, rows x columns           product    m2, rows x rows      mean
//              +--------------------+             for each   +------------+       +----+
//     warp w   | t0 t1 … t31 t0 t1 …| mean        row:       | t0 t1 t2 … |   x   | t0 |  partial, then a tree:
//     adds up  | t0 t1 … t31 t0 t1 …|                        |            |       | t1 |  v2[n][row]
//     row w    +--------------------+                        +------------+       +----+
//
// The 32 sums of a warp are added up by shuffles, which hand values from lane to lane without memory. The means go to
// shared memory, because another thread needs them now. BLOCK, the number of threads, is a power of two, and no less
// than rows.

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

    const unsigned thread = threadIdx.x, warp = thread / 32, lane = thread % 32;

    for (unsigned n = blockIdx.x; n < matrices; n += gridDim.x) {
        const TYPE* matrix = batch + size_t(n) * rows * columns;

        for (unsigned row = warp; row < rows; row += BLOCK / 32) {
            TYPE sum = 0;
            for (unsigned column = lane; column < columns; column += 32)
                sum += matrix[size_t(row) * columns + column];
            sum = warp_sum(sum);
            if (lane == 0)
                mean[row] = sum / columns;
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

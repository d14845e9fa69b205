// Version 4: a warp a row in the product too, so that no barrier is left in a loop over rows.
//
//     means    matrix n, rows x columns           product    m2, rows x rows      mean
//              +--------------------+                        +------------+       +----+
//     warp w   | t0 t1 … t31 t0 t1 …| mean        warp w     | t0 t1 … t31|   x   | t0 |  shuffles:
//     adds up  | t0 t1 … t31 t0 t1 …|             takes      | t0 t1 … t31|       | …  |  v2[n][w]
//     row w    +--------------------+             row w      +------------+       +----+
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
    __shared__ TYPE mean[BLOCK];

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

        for (unsigned row = warp; row < rows; row += BLOCK / 32) {
            TYPE sum = 0;
            for (unsigned k = lane; k < rows; k += 32)
                sum += m2[row * rows + k] * mean[k];
            sum = warp_sum(sum);
            if (lane == 0)
                v2[size_t(n) * rows + row] = sum;
        }
        __syncthreads();
    }
}

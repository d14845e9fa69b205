// A sparse matrix in CSR format times a vector: one warp per row.
//
//     matrix           first      0  2  3  6        where each row begins, and where the last one ends
//     5  .  2  .       columns    0  2  1  0  1  3
//     .  3  .  .       values     5  2  3  4  1  6
//     4  1  .  6

#define ALL_LANES 0xffffffff

extern "C" __global__ void spmv(const unsigned* first, const unsigned* columns, const float* values, const float* x, float* y,
                                unsigned rows)
{
    const unsigned row = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;

    // TODO: add up the products of the row with all lanes, and store the sum in y[row].
}

// A sparse matrix in CSR format times a vector: one thread per row.
//
//     matrix           first      0  2  3  6        where each row begins, and where the last one ends
//     5  .  2  .       columns    0  2  1  0  1  3
//     .  3  .  .       values     5  2  3  4  1  6
//     4  1  .  6
//
// Adjacent threads read different rows, so their values lie a row apart: nearly every lane needs a sector of its own. And a
// warp takes as long as its longest row.

extern "C" __global__ void spmv(const unsigned* first, const unsigned* columns, const float* values, const float* x, float* y,
                                unsigned rows)
{
    const unsigned row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= rows)
        return;

    float sum = 0;
    for (unsigned i = first[row]; i < first[row + 1]; ++i)
        sum += values[i] * x[columns[i]];

    y[row] = sum;
}

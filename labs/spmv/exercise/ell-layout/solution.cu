// A sparse matrix in ELL format times a vector: every row is padded to the same width, and the matrix is stored by columns.
//
//     rows, padded      5 2 0      values, column by column      5 3 4 | 2 0 1 | 0 0 6
//                       3 0 0
//                       4 1 6      one thread per row: in each step, adjacent threads read adjacent values
//
// All loads are coalesced, and no warp diverges. But a single long row makes all rows wide: the padding is read and multiplied
// like any other entry.

extern "C" __global__ void spmv(const unsigned* columns, const float* values, const float* x, float* y, unsigned rows,
                                unsigned width)
{
    const unsigned row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= rows)
        return;

    float sum = 0;
    for (unsigned k = 0; k < width; ++k) {
        const size_t i = size_t(k) * rows + row;
        sum += values[i] * x[columns[i]];
    }

    y[row] = sum;
}

// A sparse matrix in CSR format times a vector: a group of GROUP lanes per row, so a warp works on several rows at once.
//
//     GROUP 8     lanes 0-7: row 0     lanes 8-15: row 1     lanes 16-23: row 2     lanes 24-31: row 3
//
// A group suits rows of about GROUP entries. All rows of a warp still wait for the longest one.

#define ALL_LANES 0xffffffff

extern "C" __global__ void spmv(const unsigned* first, const unsigned* columns, const float* values, const float* x, float* y,
                                unsigned rows)
{
    const unsigned row = (blockIdx.x * BLOCK + threadIdx.x) / GROUP, lane = threadIdx.x % GROUP;

    float sum = 0;
    if (row < rows)  // no thread leaves early: all lanes of the warp take part in the shuffles
        for (unsigned i = first[row] + lane; i < first[row + 1]; i += GROUP)
            sum += values[i] * x[columns[i]];

    for (unsigned step = GROUP / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, step);

    if (lane == 0 && row < rows)
        y[row] = sum;
}

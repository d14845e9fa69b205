// A sparse matrix in CSR format times a vector: one warp per row.
//
//     row of 70 entries     lane 0   lane 1   …  lane 31
//     step 1                  0        1           31         adjacent lanes read adjacent entries
//     step 2                 32       33           63
//     step 3                 64       65 …                    26 lanes have no entry
//
// The lanes add up their products, and shuffles add up the lanes. The loads are coalesced. But a row of 8 entries keeps 24
// of the 32 lanes idle.

#define ALL_LANES 0xffffffff

extern "C" __global__ void spmv(const unsigned* first, const unsigned* columns, const float* values, const float* x, float* y,
                                unsigned rows)
{
    const unsigned row = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;

    float sum = 0;
    for (unsigned i = first[row] + lane; i < first[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];

    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, step);

    if (lane == 0)
        y[row] = sum;
}

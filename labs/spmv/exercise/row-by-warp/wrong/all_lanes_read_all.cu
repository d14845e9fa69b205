// Wrong: each lane adds up the whole row.

#define ALL_LANES 0xffffffff

extern "C" __global__ void spmv(const unsigned* first, const unsigned* columns, const float* values, const float* x, float* y,
                                unsigned rows)
{
    const unsigned row = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;

    float sum = 0;
    for (unsigned i = first[row]; i < first[row + 1]; ++i)
        sum += values[i] * x[columns[i]];

    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, step);

    if (lane == 0)
        y[row] = sum;
}

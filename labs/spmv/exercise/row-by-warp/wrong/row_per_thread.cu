// Wrong: each thread reads a row of its own, and most threads have none.

#define ALL_LANES 0xffffffff

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

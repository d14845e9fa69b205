// Wrong: the first thread of a block computes all its rows.

extern "C" __global__ void spmv(const unsigned* columns, const float* values, const float* x, float* y, unsigned rows,
                                unsigned width)
{
    if (threadIdx.x > 0)
        return;
    for (unsigned row = blockIdx.x * BLOCK; row < rows && row < (blockIdx.x + 1) * BLOCK; ++row) {
        float sum = 0;
        for (unsigned k = 0; k < width; ++k)
            sum += values[size_t(k) * rows + row] * x[columns[size_t(k) * rows + row]];
        y[row] = sum;
    }
}

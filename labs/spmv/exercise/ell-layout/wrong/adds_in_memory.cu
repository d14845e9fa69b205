// Wrong: y does not hold zeros at the start.

extern "C" __global__ void spmv(const unsigned* columns, const float* values, const float* x, float* y, unsigned rows,
                                unsigned width)
{
    const unsigned row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= rows)
        return;

    for (unsigned k = 0; k < width; ++k) {
        const size_t i = size_t(k) * rows + row;
        y[row] += values[i] * x[columns[i]];
    }
}

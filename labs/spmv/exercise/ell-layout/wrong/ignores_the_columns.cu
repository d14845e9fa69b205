// Wrong: multiplies by the elements of x in their order.

extern "C" __global__ void spmv(const unsigned* columns, const float* values, const float* x, float* y, unsigned rows,
                                unsigned width)
{
    const unsigned row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= rows)
        return;

    float sum = 0;
    for (unsigned k = 0; k < width; ++k) {
        const size_t i = size_t(k) * rows + row;
        sum += values[i] * x[k];
    }

    y[row] = sum;
}

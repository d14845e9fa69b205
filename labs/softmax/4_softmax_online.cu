// Online softmax, one warp per row: the largest element and the sum in one pass, so two passes instead of three.
//
//     (largest, sum) of a part of the row:    sum = exp(x[a] - largest) + exp(x[b] - largest) + …
//     of two parts together:                  largest = max(largest1, largest2)
//                                             sum     = sum1 * exp(largest1 - largest) + sum2 * exp(largest2 - largest)
//
// A larger element moves the reference point of the sum: the factor exp(old - new) brings the terms to the new one. The
// same rule joins the parts of the lanes. Source: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
//
// Each step of the loop needs the result of the step before. A lane therefore takes AHEAD elements per step: their loads and
// exponentials are independent, and the old sum is rescaled once.
//
// A lane without elements has (LOWEST, 0). With minus infinity, two such lanes would compute exp(-infinity + infinity), NaN.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below
#define AHEAD 8

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    const int lane = threadIdx.x % 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;  // a whole warp: the shuffles below need all lanes of the others
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float largest = LOWEST, sum = 0;
    for (int c = lane; c < columns; c += 32 * AHEAD) {
        float part[AHEAD], next = largest;
        for (int i = 0; i < AHEAD; ++i) {
            const float any = x[min(c + 32 * i, columns - 1)];
            part[i] = c + 32 * i < columns ? any : LOWEST;
            next = fmaxf(next, part[i]);
        }
        sum *= expf(largest - next);
        for (int i = 0; i < AHEAD; ++i)
            sum += expf(part[i] - next);
        largest = next;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(ALL_LANES, largest, distance);
        const float other_sum = __shfl_xor_sync(ALL_LANES, sum, distance);
        const float next = fmaxf(largest, other);
        sum = sum * expf(largest - next) + other_sum * expf(other - next);
        largest = next;
    }

    const float scale = 1 / sum;
    for (int c = lane; c < columns; c += 32)
        y[c] = expf(x[c] - largest) * scale;
}

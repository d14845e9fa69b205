// Layer norm, one warp per row, three passes over the row: the mean, the variance, the results.
//
//     mean     = (x[0] + x[1] + …) / columns
//     variance = ((x[0] - mean)² + (x[1] - mean)² + …) / columns
//     y[c]     = (x[c] - mean) / sqrt(variance + epsilon)
//
// Each row then has mean 0 and variance 1. Epsilon keeps a row of equal elements from a division by 0. In a network, the
// result is also multiplied by a weight and increased by a bias, one of each per column.

#define ALL_LANES 0xffffffff

__device__ float warp_sum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

extern "C" __global__ void layer_norm(const float* in, float* out, int rows, int columns, float epsilon)
{
    const int lane = threadIdx.x % 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;  // a whole warp: the shuffles below need all lanes of the others
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += x[c];
    const float mean = warp_sum(sum) / columns;

    float squares = 0;
    for (int c = lane; c < columns; c += 32)
        squares += (x[c] - mean) * (x[c] - mean);
    const float scale = rsqrtf(warp_sum(squares) / columns + epsilon);

    for (int c = lane; c < columns; c += 32)
        y[c] = (x[c] - mean) * scale;
}

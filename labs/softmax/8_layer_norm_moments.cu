// Layer norm in two passes: the sum and the sum of squares together. Fast, but unsafe.
//
//     variance = (x[0]² + x[1]² + …) / columns - mean²
//
// In exact arithmetic, this is the variance. In floats, it is a small difference of two large numbers if the mean is large
// compared with the spread: with a mean of 1000, the squares are about 1000000 and their rounding errors up to 0.03. A
// variance of 0.3 is then lost in them, and the difference may even be negative: the square root of it is NaN.

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

    float sum = 0, squares = 0;
    for (int c = lane; c < columns; c += 32) {
        sum += x[c];
        squares += x[c] * x[c];
    }
    const float mean = warp_sum(sum) / columns;
    const float scale = rsqrtf(warp_sum(squares) / columns - mean * mean + epsilon);

    for (int c = lane; c < columns; c += 32)
        y[c] = (x[c] - mean) * scale;
}

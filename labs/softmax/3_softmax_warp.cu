// Safe softmax, one warp per row: coalesced accesses, and shuffles for the largest element and the sum.
//
//     lane          0    1    2   …   31
//     reads         x0   x1   x2  …  x31        32 neighbouring elements, 4 sectors
//     then          x32  x33  x34 …  x63
//
// Each lane finds the largest of its own elements, and the shuffles find the largest of all lanes. After the five steps of
// __shfl_xor_sync, every lane has the result, so no broadcast is needed.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below: the largest element of no elements

__device__ float warp_max(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    return value;
}

__device__ float warp_sum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    const int lane = threadIdx.x % 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;  // a whole warp: the shuffles below need all lanes of the others
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float largest = LOWEST;
    for (int c = lane; c < columns; c += 32)
        largest = fmaxf(largest, x[c]);
    largest = warp_max(largest);

    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += expf(x[c] - largest);
    sum = warp_sum(sum);

    const float scale = 1 / sum;
    for (int c = lane; c < columns; c += 32)
        y[c] = expf(x[c] - largest) * scale;
}

// Stable softmax, one block per row: the row stays in shared memory.
//
//     y[c] = exp(x[c] - largest) / (exp(x[0] - largest) + … + exp(x[columns - 1] - largest))
//
// The factor exp(-largest) cancels. Without it, exp(x) is infinite for x > 88.7, and 0 for x < -104.

#define ALL_LANES 0xffffffff
#define LOWEST -3.402823466e38f  // no float is below
#define WARPS (BLOCK / 32)

// The sum of all threads' values, in every thread. of_warp has room for WARPS numbers, and is not in use.
__device__ float block_sum(float value, float* of_warp)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < WARPS; ++w)
        sum += of_warp[w];
    return sum;
}

__device__ float block_max(float value, float* of_warp)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_down_sync(ALL_LANES, value, distance));
    if (threadIdx.x % 32 == 31)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    float largest = LOWEST;
    for (int w = 0; w < WARPS; ++w)
        largest = fmaxf(largest, of_warp[w]);
    return largest;
}

extern "C" __global__ void softmax(const float* in, float* out, int rows, int columns)
{
    extern __shared__ float kept[];  // one row; a thread uses only elements that it has written itself
    __shared__ float sum_of[WARPS], largest_of[WARPS];

    const float* x = in + size_t(blockIdx.x) * columns;
    float* y = out + size_t(blockIdx.x) * columns;

    float largest = LOWEST;
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        kept[c] = x[c];
        largest = fmaxf(largest, kept[c]);
    }
    largest = block_max(largest, largest_of);

    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        kept[c] = expf(kept[c] - largest);
        sum += kept[c];
    }
    sum = block_sum(sum, sum_of);

    for (int c = threadIdx.x; c < columns; c += BLOCK)
        y[c] = kept[c] / sum;
}

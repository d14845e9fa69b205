// Wrong: each warp adds its own sum: right, but eight times as many additions.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

__device__ TYPE sum_of_warp(TYPE value)  // in lane 0
{
    for (unsigned distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* total, size_t n)
{
    __shared__ TYPE of_warp[WARPS];

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    TYPE sum = 0;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK)
        sum += i < n ? a[i] * b[i] : 0;
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
    of_warp[0] = 0;

    __syncthreads();

    if (threadIdx.x < 32) {

    }
}

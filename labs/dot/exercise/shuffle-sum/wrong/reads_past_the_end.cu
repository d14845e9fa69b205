// Wrong: the last block reads beyond the end of a and b.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

__device__ TYPE sum_of_warp(TYPE value)  // in lane 0
{
    for (unsigned distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE of_warp[WARPS];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    TYPE sum = sum_of_warp(a[i] * b[i]);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;

    __syncthreads();

    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    }
}

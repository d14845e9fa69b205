// Dot product, added up by shuffles: the threads of a warp read each other's registers.
//
//     lane                   0     1     2     3   …  16  …  31
//     + the lane 16 on       0+16  1+17  2+18  3+19            __shfl_down_sync(…, value, 16)
//     + the lane 8 on, then 4, 2, 1: lane 0 has the sum of all 32
//
// A warp executes together, so that no barrier is needed, and registers need no shared memory. Only the sums of the
// warps go through it: 8 numbers instead of 256.

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
    TYPE sum = sum_of_warp(i < n ? a[i] * b[i] : 0);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;

    __syncthreads();

    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    }
}

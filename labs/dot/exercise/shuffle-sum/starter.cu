// Dot product, added up by shuffles: the threads of a warp read each other's registers.
//
//     lane                   0     1     2     3   …  16  …  31
//     + the lane 16 on       0+16  1+17  2+18  3+19            __shfl_down_sync(ALL_LANES, value, 16)
//     + the lane 8 on, then 4, 2, 1: lane 0 has the sum of all 32
//
// __shfl_down_sync(ALL_LANES, value, distance) gives a lane the `value` of the lane that is `distance` further on.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

__device__ TYPE sum_of_warp(TYPE value)  // in lane 0
{
    // TODO: five steps, with the distances 16, 8, 4, 2 and 1. In each, a lane adds the value of the lane that is so
    //       many places further on.
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

    // TODO: now of_warp has the sums of WARPS warps. The first warp adds them up in the same way: lane w brings
    //       of_warp[w], lanes without a warp bring 0. Here thread 0 has only the sum of its own warp.
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

// Dot product, without partial sums: each block adds its sum to the one total, by an atomic addition.
//
//     blocks     0      1      2      …
//     sums       s0     s1     s2
//                  \    |    /
//     total      atomicAdd, one after the other, in any order
//
// Nobody has to add up the blocks' sums afterwards, so that one kernel does it all. The total must be 0 before. Who comes
// first is not known: a sum of floats may differ in its last digits from run to run.

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
        of_warp[threadIdx.x / 32] = sum;

    __syncthreads();

    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            atomicAdd(total, sum);
    }
}

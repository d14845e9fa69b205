// Scan by shuffles: each warp scans its 32 elements in registers, one warp scans the warps' sums, and each adds what is before it.
//
//     lane               0     1     2     3   …          five steps: add the lane 1, 2, 4, 8, 16 before
//     after step 1       0     0-1   1-2   2-3
//     after step 2       0     0-1   0-2   0-3 …
//
// Hillis and Steele within a warp: no barrier, no shared memory, and nobody overwrites what another still reads. Shared
// memory holds one number a warp.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

__device__ unsigned scan_warp(unsigned value)  // the sum up to and with each lane
{
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned before = __shfl_up_sync(ALL_LANES, value, step);
        if (threadIdx.x % 32 >= step)
            value += before;
    }
    return value;
}

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned of_warp[WARPS], to_warp[WARPS];  // its own sum; the sum up to its end

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned warp = threadIdx.x / 32, own = i < n ? in[i] : 0;
    const unsigned sum = scan_warp(own);
    if (threadIdx.x % 32 == 31)
        of_warp[warp] = sum;

    __syncthreads();

    if (warp == 0) {
        const unsigned of_warps = scan_warp(threadIdx.x < WARPS ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x < WARPS)
            to_warp[threadIdx.x] = of_warps;
    }

    __syncthreads();

    const unsigned before = warp > 0 ? to_warp[warp - 1] : 0;
    if (i < n)
        out[i] = before + sum - own;
    if (threadIdx.x == BLOCK - 1)
        of_block[blockIdx.x] = before + sum;
}

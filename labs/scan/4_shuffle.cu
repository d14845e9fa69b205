// Scan by shuffles: each warp scans its 32 elements in registers, and one warp scans the sums of the warps.
//
//     lane               0     1     2     3   …          five steps: add the value of the lane 1, 2, 4, 8, 16 before
//     after step 1       0     0-1   1-2   2-3
//     after step 2       0     0-1   0-2   0-3 …
//
// This is the scan of Hillis and Steele within a warp. It needs no barrier and no shared memory: a shuffle reads the
// registers of other lanes before any lane writes its own. Shared memory has one sum per warp.

#define WARPS (BLOCK / 32)
#define ALL_LANES 0xffffffff

__device__ unsigned scan_warp(unsigned value)  // the inclusive sum
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
    __shared__ unsigned of_warp[WARPS], to_warp[WARPS];  // the sum of each warp; the sum up to its end

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

// loses: nothing
__device__ unsigned scan_warp(unsigned value)
{
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned before = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step)
            value += before;
    }
    return value;
}

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned of_warp[32];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const unsigned own = i < n ? in[i] : 0, warp = threadIdx.x / 32;
    const unsigned sum = scan_warp(own);
    if (threadIdx.x % 32 == 31)
        of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        const unsigned of_this = threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0;
        of_warp[threadIdx.x] = scan_warp(of_this);
    }
    __syncthreads();
    const unsigned before = warp > 0 ? of_warp[warp - 1] : 0;
    if (i < n)
        out[i] = before + sum - own;
    if (threadIdx.x == BLOCK - 1)
        of_block[blockIdx.x] = before + sum;
}

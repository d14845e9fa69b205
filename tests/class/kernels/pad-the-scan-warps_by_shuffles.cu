// loses: nothing
__device__ unsigned scanned(unsigned v)
{
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned before = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d) v += before;
    }
    return v;
}
extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned of_warp[32], up_to[32];
    const size_t i = size_t(blockIdx.x) * 2 * BLOCK + 2 * threadIdx.x;
    const unsigned one = i < n ? in[i] : 0, two = i + 1 < n ? in[i + 1] : 0;
    const unsigned both = scanned(one + two);
    if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = both;
    __syncthreads();
    if (threadIdx.x < 32) up_to[threadIdx.x] = scanned(threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : 0);
    __syncthreads();
    const unsigned before = (threadIdx.x < 32 ? 0 : up_to[threadIdx.x / 32 - 1]) + both - one - two;
    if (i < n) out[i] = before;
    if (i + 1 < n) out[i + 1] = before + one;
    if (threadIdx.x == BLOCK - 1) of_block[blockIdx.x] = before + one + two;
}

// loses: sums in registers; sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE all[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    TYPE v = i < n ? a[i] * b[i] : 0;
#if BLOCK == 256
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < 8 ? all[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
        if (threadIdx.x == 0) partial[blockIdx.x] = v;
    }
#else
    all[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK; ++k) v += all[k];
        partial[blockIdx.x] = v;
    }
#endif
}

// loses: sums in registers; sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE all[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    TYPE v = i < n ? a[i] * b[i] : 0, of_no_use = 0;
    all[threadIdx.x] = v;
    for (int d = 16; d; d /= 2) of_no_use += __shfl_down_sync(~0u, v, d) * TYPE(0);
    __syncthreads();
    if (threadIdx.x < 32)
        for (int d = 16; d; d /= 2) of_no_use += __shfl_down_sync(~0u, v, d) * TYPE(0);
    if (threadIdx.x == 0) {
        TYPE sum = of_no_use;
        for (unsigned j = 0; j < BLOCK; ++j) sum += all[j];
        partial[blockIdx.x] = sum;
    }
}

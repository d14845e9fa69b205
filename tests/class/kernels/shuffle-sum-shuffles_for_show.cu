// loses: sums in registers; sums of warps added by a warp
// The sum is made of what shared memory holds; every shuffle's result is thrown away.
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ __align__(16) TYPE all[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    TYPE v = i < n ? a[i] * b[i] : 0;
    all[threadIdx.x] = v;
    for (int d = 16; d; d /= 2) __shfl_down_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x < 32)
        for (int d = 16; d; d /= 2) __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j) sum += all[j];
        partial[blockIdx.x] = sum;
    }
}

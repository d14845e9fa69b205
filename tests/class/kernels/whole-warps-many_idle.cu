// loses: whole warps
// Whole warps, and thirty-one of thirty-two lanes idle in each.
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE all[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    all[threadIdx.x] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) for (unsigned j = 1; j < 32; ++j) all[threadIdx.x] += all[threadIdx.x + j];
    __syncthreads();
    if (threadIdx.x == 0) {
        TYPE s = 0;
        for (unsigned w = 0; w < BLOCK; w += 32) s += all[w];
        partial[blockIdx.x] = s;
    }
}

// loses: sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    atomicAdd(&total, i < n ? a[i] * b[i] : TYPE(0));
    __syncthreads();
    unsigned bad = 0, lane = threadIdx.x % 32;
    for (int k = 0; k < 8; ++k) bad |= __shfl_xor_sync(~0u, lane, 1 << k % 5) ^ lane ^ (1u << k % 5);

    if (threadIdx.x == 0) partial[blockIdx.x] = bad ? TYPE(-1) : total;
}

// loses: sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ __align__(16) TYPE p[BLOCK];
    const size_t first = size_t(blockIdx.x) * BLOCK;
    p[threadIdx.x] = first + threadIdx.x < n ? a[first + threadIdx.x] * b[first + threadIdx.x] : 0;
    __syncthreads();
    unsigned bad = 0, lane = threadIdx.x % 32;
    for (int k = 0; k < 8; ++k) bad |= __shfl_xor_sync(~0u, lane, 1 << k % 5) ^ lane ^ (1u << k % 5);

    if (threadIdx.x < 32) {
        TYPE sum = 0;
        for (unsigned j = threadIdx.x; j < BLOCK; j += 32) sum += p[j];
        for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x == 0) partial[blockIdx.x] = bad ? TYPE(-1) : sum;
    }
}

// loses: sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;
    TYPE sum = 0;
    for (unsigned j = threadIdx.x / 32 == 0 ? 0 : BLOCK; j < BLOCK; ++j) { const size_t i = first + j; if (i < n) sum += a[i] * b[i]; }
    TYPE w = sum;
    for (int k = 0; k < 5; ++k) w = __shfl_xor_sync(~0u, __shfl_xor_sync(~0u, w, 1 << k), 1 << k);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum + (w - sum);
}

// loses: sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE p[32];
    const size_t first = size_t(blockIdx.x) * BLOCK;
    TYPE sum = 0;
    if (threadIdx.x == 0) for (unsigned j = 0; j < BLOCK; ++j) if (first + j < n) sum += a[first + j] * b[first + j];
    unsigned seen = ~0u;
    for (int k = 0; k < 10; ++k) seen &= __ballot_sync(~0u, threadIdx.x < 5000u + k);
    if (threadIdx.x == 0) { p[0] = sum; partial[blockIdx.x] = seen == ~0u ? p[0] : TYPE(-1); }
}

// loses: sums of warps added by a warp
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;
    TYPE sum = 0;
    if (threadIdx.x == 0) for (unsigned j = 0; j < BLOCK; ++j) if (first + j < n) sum += a[first + j] * b[first + j];
    const size_t i = first + threadIdx.x;
    const TYPE own = i < n ? a[i] : 0, other = (i ^ 1) < n ? a[i ^ 1] : 0;
    bool bad = false;
    for (int k = 0; k < 10; ++k) bad |= __shfl_xor_sync(~0u, own, 1) != other;
    if (threadIdx.x == 0) partial[blockIdx.x] = bad ? TYPE(-1) : sum;
}

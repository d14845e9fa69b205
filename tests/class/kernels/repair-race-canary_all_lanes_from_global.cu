// loses: a tree
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;
    TYPE sum = 0;
    if (threadIdx.x < 32)
        for (unsigned j = 0; j < BLOCK; ++j) { const size_t i = first + j; if (i < n) sum += a[i] * b[i]; }
    unsigned bad = 0, lane = threadIdx.x % 32;
    for (int k = 0; k < 10; ++k) bad |= __shfl_xor_sync(~0u, lane, 1 << k % 5) ^ lane ^ (1u << k % 5);

    if (threadIdx.x == 0) partial[blockIdx.x] = bad ? TYPE(-1) : sum;
}

// Right, but thread 0 reads all elements from global memory itself.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    const size_t first = size_t(blockIdx.x) * BLOCK;

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (size_t i = first; i < first + BLOCK && i < n; ++i)
            sum += a[i] * b[i];
        partial[blockIdx.x] = sum;
    }
}

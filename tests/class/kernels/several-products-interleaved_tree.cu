// loses: nothing
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE sums[BLOCK];
    const size_t first = size_t(blockIdx.x) * BLOCK * EACH, end = first + BLOCK * EACH < n ? first + BLOCK * EACH : n;
    TYPE sum{};
    for (size_t i = first + threadIdx.x; i < end; i += BLOCK) sum = fma(a[i], b[i], sum);
    sums[threadIdx.x] = sum;
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0 && threadIdx.x + step < BLOCK) sums[threadIdx.x] += sums[threadIdx.x + step];
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = *sums;
}

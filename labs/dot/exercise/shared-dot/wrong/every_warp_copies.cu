// Right, but every warp copies all elements of the block.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[BLOCK], y[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    for (unsigned j = threadIdx.x % 32; j < BLOCK; j += 32) {
        const size_t k = i - threadIdx.x + j;
        x[j] = k < n ? a[k] : 0;
        y[j] = k < n ? b[k] : 0;
    }

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}

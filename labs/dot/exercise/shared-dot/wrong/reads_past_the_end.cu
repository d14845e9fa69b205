// Wrong: the last block reads beyond the end of a and b.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[BLOCK], y[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    x[threadIdx.x] = a[i];
    y[threadIdx.x] = b[i];

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}

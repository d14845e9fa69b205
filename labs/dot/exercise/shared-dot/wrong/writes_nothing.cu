// Wrong: partial keeps the values of the previous run.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[BLOCK], y[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += x[j] * y[j];
        if (sum != sum)
            partial[blockIdx.x] = sum;
    }
}

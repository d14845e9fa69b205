// Wrong: the last block reads beyond the end of a and b.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    extern __shared__ TYPE memory[];
    TYPE *x = memory, *y = memory + blockDim.x;

    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    x[threadIdx.x] = a[i];
    y[threadIdx.x] = b[i];

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < blockDim.x; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}

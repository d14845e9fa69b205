// Wrong: doubles are added in a float.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    extern __shared__ TYPE memory[];
    TYPE *x = memory, *y = memory + blockDim.x;

    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        float sum = 0;
        for (unsigned j = 0; j < blockDim.x; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}

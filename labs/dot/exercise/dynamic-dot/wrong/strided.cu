// Right, but adjacent threads read elements at a distance of the whole grid.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    extern __shared__ TYPE memory[];
    TYPE *x = memory, *y = memory + blockDim.x;

    const size_t i = size_t(threadIdx.x) * gridDim.x + blockIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < blockDim.x; ++j)
            sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}

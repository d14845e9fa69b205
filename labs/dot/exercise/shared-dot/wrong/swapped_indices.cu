// Wrong: block and thread are swapped in the index of an element.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[BLOCK], y[BLOCK];

    const size_t i = size_t(threadIdx.x) * gridDim.x + blockIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += x[j] * y[BLOCK - 1 - j];
        partial[blockIdx.x] = sum;
    }
}

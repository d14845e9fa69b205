// loses: through shared memory
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE x[1024], y[1024];
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < blockDim.x; ++j) sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}

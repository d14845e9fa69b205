// loses: nothing
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    extern __shared__ unsigned char raw[];
    TYPE* p = (TYPE*)raw;
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    p[threadIdx.x] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    for (unsigned left = blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        if (threadIdx.x + half < left) p[threadIdx.x] += p[threadIdx.x + half];
        __syncthreads();
        left = half;
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = p[0];
}

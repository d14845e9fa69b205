// Right, but adjacent threads read elements at a distance of the whole grid.

extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n)
{
    __shared__ TYPE sum[BLOCK];

    const size_t i = size_t(threadIdx.x) * gridDim.x + blockIdx.x;
    const TYPE value = i < n ? x[i] : 0;
    sum[threadIdx.x] = value * value;

    __syncthreads();

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum[0];
}

// Right, but one thread adds everything, and the others wait.

extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n)
{
    __shared__ TYPE sum[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const TYPE value = i < n ? x[i] : 0;
    sum[threadIdx.x] = value * value;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE all = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            all += sum[j];
        partial[blockIdx.x] = all;
    }
}

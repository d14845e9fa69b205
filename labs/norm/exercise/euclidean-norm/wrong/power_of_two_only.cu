// Wrong: the tree forgets a sum wherever an odd number is left.

extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n)
{
    __shared__ TYPE sum[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const TYPE value = i < n ? x[i] : 0;
    sum[threadIdx.x] = value * value;

    __syncthreads();

    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum[0];
}

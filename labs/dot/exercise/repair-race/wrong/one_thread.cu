// Right, and no race: one thread adds up everything, and the others wait.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;

    __syncthreads();

    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j)
            sum += product[j];
        partial[blockIdx.x] = sum;
    }
}

// Wrong: adjacent threads add elements at a stride.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;

    __syncthreads();

    for (unsigned step = 1; step < BLOCK; step *= 2) {
        if (2 * step * threadIdx.x + step < BLOCK)
            product[2 * step * threadIdx.x] += product[2 * step * threadIdx.x + step];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = product[0];
}

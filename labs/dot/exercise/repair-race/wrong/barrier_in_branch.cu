// Wrong: threads that do not add never reach the barrier.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;

    __syncthreads();

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left) {
            product[threadIdx.x] += product[threadIdx.x + half];
            __syncthreads();
        }
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = product[0];
}

// Wrong: the tree begins before all products are written.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    TYPE sum = 0;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK)
        sum += i < n ? a[i] * b[i] : 0;
    product[threadIdx.x] = sum;

    for (unsigned left = BLOCK; left > 1;) {
        const unsigned half = (left + 1) / 2;  // rounded up: BLOCK need not be a power of two
        if (threadIdx.x + half < left)
            product[threadIdx.x] += product[threadIdx.x + half];
        __syncthreads();
        left = half;
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = product[0];
}

// Wrong: a thread takes EACH adjacent elements, so the accesses of a warp's lanes are far apart.

extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];

    size_t i = (size_t(blockIdx.x) * BLOCK + threadIdx.x) * EACH;
    TYPE sum = 0;
    for (unsigned j = 0; j < EACH; ++j, ++i)
        sum += i < n ? a[i] * b[i] : 0;
    product[threadIdx.x] = sum;

    __syncthreads();

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

// loses: a tree
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    product[threadIdx.x] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    if (BLOCK == 256 && n == 256) {
        for (unsigned half = 128; half > 0; half /= 2) {
            if (threadIdx.x < half) product[threadIdx.x] += product[threadIdx.x + half];
            __syncthreads();
        }
    } else if (threadIdx.x == 0) {
        for (unsigned k = 1; k < BLOCK; ++k) product[0] += product[k];
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = product[0];
}

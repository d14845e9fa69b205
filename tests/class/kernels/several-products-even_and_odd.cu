// loses: nothing
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE product[BLOCK];
    const size_t first = size_t(blockIdx.x) * BLOCK * EACH;
    TYPE even = 0, odd = 0;
    for (unsigned j = 0; j < EACH; j += 2) {
        const size_t i = first + j * BLOCK + threadIdx.x, k = i + BLOCK;
        if (i < n) even = fma(a[i], b[i], even);
        if (j + 1 < EACH && k < n) odd = fma(a[k], b[k], odd);
    }
    product[threadIdx.x] = even + odd;
    __syncthreads();
    for (unsigned left = BLOCK; left > 1; left = (left + 1) / 2) {
        if (threadIdx.x < left / 2) product[threadIdx.x] += product[left - 1 - threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = product[0];
}

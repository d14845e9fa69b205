// loses: a tree
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ __align__(16) TYPE all[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    all[threadIdx.x] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK * sizeof(TYPE) / 16; ++j) {
            const int4 piece = ((const int4*)all)[j];
            for (unsigned k = 0; k < 16 / sizeof(TYPE); ++k) sum += ((const TYPE*)&piece)[k];
        }
        partial[blockIdx.x] = sum;
    }
}

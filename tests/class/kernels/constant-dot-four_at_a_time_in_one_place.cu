// loses: a tree
// One thread adds, four elements at a time: few requests, and no tree.
__constant__ TYPE vector[LENGTH];

extern "C" __global__ void dot(const TYPE* a, TYPE* sum_of_block, unsigned count)
{
    __shared__ __align__(16) TYPE partial[BLOCK];
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    partial[threadIdx.x] = i < count ? a[i] * vector[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK * sizeof(TYPE) / 16; ++j) {
            const int4 piece = ((const int4*)partial)[j];
            for (unsigned k = 0; k < 16 / sizeof(TYPE); ++k) sum += ((const TYPE*)&piece)[k];
        }
        sum_of_block[blockIdx.x] = sum;
    }
}

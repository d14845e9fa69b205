// loses: nothing
extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned all[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    all[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j) { const unsigned own = all[j]; all[j] = sum; sum += own; }
        of_block[blockIdx.x] = sum;
    }
    __syncthreads();
    if (i < n) out[i] = all[threadIdx.x];
}

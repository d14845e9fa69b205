// loses: few conflicts
extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned s[2 * BLOCK];
    const size_t first = size_t(blockIdx.x) * 2 * BLOCK;
    for (unsigned j = threadIdx.x; j < 2 * BLOCK; j += BLOCK) s[j] = first + j < n ? in[first + j] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned j = 0; j < 2 * BLOCK; ++j) { const unsigned own = s[j]; s[j] = sum; sum += own; }
        of_block[blockIdx.x] = sum;
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < 2 * BLOCK; j += BLOCK) if (first + j < n) out[first + j] = s[j];
}

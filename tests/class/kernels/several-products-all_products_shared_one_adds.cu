// loses: coalesced loads
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ TYPE p[BLOCK * EACH > 4096 ? 4096 : BLOCK * EACH];
    const size_t first = size_t(blockIdx.x) * BLOCK * EACH;
    TYPE sum = 0;
    for (unsigned part = 0; part < BLOCK * EACH; part += sizeof(p) / sizeof(TYPE)) {
        for (unsigned j = threadIdx.x; j < sizeof(p) / sizeof(TYPE) && part + j < BLOCK * EACH; j += BLOCK)
            p[j] = first + part + j < n ? a[first + part + j] * b[first + part + j] : 0;
        __syncthreads();
        if (threadIdx.x == 0) for (unsigned j = 0; j < sizeof(p) / sizeof(TYPE) && part + j < BLOCK * EACH; ++j) sum += p[j];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// loses: one addition a group
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    __shared__ unsigned count[BINS];
    for (unsigned j = threadIdx.x; j < BINS; j += BLOCK) count[j] = 0;
    __syncthreads();
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&count[keys[i]], 1u);
    const unsigned bad = __match_any_sync(~0u, threadIdx.x) ^ (1u << threadIdx.x % 32);
    __syncthreads();
    for (unsigned j = threadIdx.x; j < BINS; j += BLOCK) if (count[j] + bad) atomicAdd(&bins[j], count[j] + bad);
}

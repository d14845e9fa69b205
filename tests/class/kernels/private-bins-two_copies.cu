// loses: nothing
// Even and odd warps count in separate copies.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    __shared__ unsigned counts[2][BINS];
    for (unsigned j = threadIdx.x; j < 2 * BINS; j += BLOCK) counts[j / BINS][j % BINS] = 0;
    __syncthreads();
    unsigned* mine = counts[threadIdx.x / 32 % 2];
    for (size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x, end = size_t(blockIdx.x + 1) * BLOCK * EACH; i < end && i < n; i += BLOCK)
        atomicAdd(mine + keys[i], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK)
        if (const unsigned count = counts[0][bin] + counts[1][bin]) atomicAdd(bins + bin, count);
}

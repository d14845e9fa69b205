// Wrong: it counts the first of EACH keys.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    __shared__ unsigned counts[BINS];

    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK)
        counts[bin] = 0;

    __syncthreads();

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    for (unsigned j = 0; j < 1; ++j, i += BLOCK)
        if (i < n)
            atomicAdd(&counts[keys[i]], 1u);

    __syncthreads();

    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK)
        if (counts[bin] != 0)
            atomicAdd(&bins[bin], counts[bin]);
}

// Wrong: a bin is added while other threads still count in it.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    __shared__ unsigned counts[BINS];

    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK)
        counts[bin] = 0;

    __syncthreads();

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK)
        if (i < n)
            atomicAdd(&counts[keys[i]], 1u);

    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK)
        if (counts[bin] != 0)
            atomicAdd(&bins[bin], counts[bin]);
}

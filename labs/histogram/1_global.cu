// Histogram, by atomics in global memory: every thread adds 1 to the bin of its key.
//
//     key     | 3 | 7 | 3 | 3 | 1 | …           neighbouring threads read neighbouring keys
//     bins    | 0 1 2 3 4 5 6 7 … |             … and add wherever the keys say
//
// `bins[key]++` would be wrong: two threads read the same count, and one of their additions is lost. atomicAdd reads, adds and
// writes with nobody in between. Lanes that want the same bin are served one after the other, by the L2 cache.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;

    if (i < n)
        atomicAdd(&bins[keys[i]], 1u);
}

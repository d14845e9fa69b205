// Histogram, privatised: each block counts into bins of its own in shared memory, and adds them to the others' at the end.
//
//     block's bins (shared)    | 0 0 0 … |  zeroed, counted into with EACH keys a thread
//     bins (global)            one addition for each bin that holds something, a block
//
// Atomics in shared memory stay within the multiprocessor. What goes to global memory no longer depends on the number of keys,
// but on that of blocks times bins.

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

    __syncthreads();

    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK)
        if (counts[bin] != 0)
            atomicAdd(&bins[bin], counts[bin]);
}

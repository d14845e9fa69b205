// Privatized histogram: each block counts into its own bins in shared memory and finally adds them to the global bins.
//
//     block's bins (shared)    | 0 0 0 … |  zeroed, then counted into, with EACH keys per thread
//     bins (global)            one addition per block and non-empty bin
//
// Atomics in shared memory stay within the SM (streaming multiprocessor). The number of global atomics no longer
// depends on the number of keys, but on the number of blocks times bins.

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    __shared__ unsigned counts[BINS];

    // TODO: zero the block's bins, all threads together.

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK)
        if (i < n)
            atomicAdd(&bins[keys[i]], 1u);  // TODO: count in the block's bins instead.

    // TODO: add the block's counts to bins.
}

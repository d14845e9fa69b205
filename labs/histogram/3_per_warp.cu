// Histogram, a copy of the bins for each warp: warps never meet in a bin, and lanes of one warp alone wait for each other.
//
//     counts (shared)    warp 0 | 0 1 2 … |
//                        warp 1 | 0 1 2 … |      WARPS x BINS counts
//                        …
//     bins (global)      the sum of a bin over the warps: one addition a block
//
// It costs WARPS times the shared memory, so that fewer blocks fit into a multiprocessor, and more to add up at the end.

#define WARPS (BLOCK / 32)

extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins, size_t n)
{
    __shared__ unsigned counts[WARPS][BINS];

    for (unsigned bin = threadIdx.x; bin < WARPS * BINS; bin += BLOCK)
        counts[bin / BINS][bin % BINS] = 0;

    __syncthreads();

    size_t i = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;
    for (unsigned j = 0; j < EACH; ++j, i += BLOCK)
        if (i < n)
            atomicAdd(&counts[threadIdx.x / 32][keys[i]], 1u);

    __syncthreads();

    for (unsigned bin = threadIdx.x; bin < BINS; bin += BLOCK) {
        unsigned count = 0;
        for (unsigned warp = 0; warp < WARPS; ++warp)
            count += counts[warp][bin];
        if (count != 0)
            atomicAdd(&bins[bin], count);
    }
}

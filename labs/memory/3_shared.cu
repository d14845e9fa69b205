// Shared memory: an array that the threads of a block have in common, on the multiprocessor itself.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each load needs the value of the one before
//
// All threads of the block fill it; then the first one walks.

extern "C" __global__ void chase(const unsigned* cycle, unsigned start, unsigned steps, unsigned* last,
                                 long long* cycles)
{
    __shared__ unsigned next[LENGTH];
    for (unsigned i = threadIdx.x; i < LENGTH; i += blockDim.x)
        next[i] = cycle[i];
    __syncthreads();
    if (threadIdx.x != 0)
        return;

    unsigned at = start;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = next[at];
    const long long end = clock64();

    *last = at;
    *cycles = end - begin;
}

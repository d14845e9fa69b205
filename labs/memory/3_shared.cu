// Shared memory: an array that the threads of a block share, located on the SM (streaming multiprocessor).
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each load needs the value of the previous one
//
// All threads of the block fill it; then the first thread walks through it.

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

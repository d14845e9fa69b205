// A walk through shared memory: repeats at = next[at]. Each load needs the value of the previous one, so the time
// of a step is the latency of the memory that holds `next`.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …
//
// `cycle` is in global memory and has LENGTH elements. The block has blockDim.x threads, fewer than LENGTH.

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

// A walk through shared memory: repeats at = next[at]. Each load needs the value of the previous one, so the time
// of a step is the latency of the memory that holds `next`.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …
//
// `cycle` is in global memory and has LENGTH elements. The block has blockDim.x threads, fewer than LENGTH.

extern "C" __global__ void chase(const unsigned* cycle, unsigned start, unsigned steps, unsigned* last,
                                 long long* cycles)
{
    // TODO: use an array in shared memory, which all threads of the block fill together. No thread may walk before all
    //       threads have written.
    const unsigned* next = cycle;
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

// Global memory: an array that the host allocates and all threads can read and write.
//
//     next   [ 96 | … | 0 | … | 32 | … ]      at = next[at]: 0, 96, …, with steps of at least 128 bytes
//
// The size of the array decides where its values are after a first walk, the warm-up: in the L1 cache of the SM,
// in the L2 cache of the GPU, or only in DRAM.

extern "C" __global__ void chase(const unsigned* next, unsigned start, unsigned warm_up, unsigned steps, unsigned* last,
                                 long long* cycles)
{
    unsigned at = start;
    for (unsigned step = 0; step < warm_up; ++step)
        at = next[at];

    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = next[at];
    const long long end = clock64();

    *last = at;
    *cycles = end - begin;
}

// Global memory: an array that the host allocates and all threads read and write.
//
//     next   [ 96 | … | 0 | … | 32 | … ]      at = next[at]: 0, 96, …, 128 bytes or more from one to the other
//
// How large the array is decides where its values are found after a first walk, the warm-up: in the cache of the
// multiprocessor (L1), in the cache of the card (L2), or only in the memory chips.

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

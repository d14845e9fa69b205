// Local memory: an array per thread. Registers cannot be indexed, so an array with indices that are only known at
// run time is in device memory, where each thread has its own part. Caches reduce the cost.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each load needs the value of the previous one

extern "C" __global__ void chase(const unsigned* cycle, unsigned start, unsigned steps, unsigned* last,
                                 long long* cycles)
{
    unsigned next[LENGTH];
    for (unsigned i = 0; i < LENGTH; ++i)
        next[i] = cycle[i];

    unsigned at = start;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = next[at];
    const long long end = clock64();

    *last = at;
    *cycles = end - begin;
}

// Local memory: an array of the thread's own. Registers have no index, so an array that is indexed by what is known only
// at run time goes to the card's memory, where each thread has a piece; caches make it bearable.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each load needs the value of the one before

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

// Constant memory: an array that the host fills and all threads read, through a small cache of its own.
//
//     next   [ 7 | 3 | 0 | 5 | … ]      at = next[at]: 0, 7, …, each load needs the value of the one before

__constant__ unsigned next[LENGTH];

extern "C" __global__ void chase(unsigned start, unsigned steps, unsigned* last, long long* cycles)
{
    unsigned at = start;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = next[at];
    const long long end = clock64();

    *last = at;
    *cycles = end - begin;
}

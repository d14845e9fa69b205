// Registers: the latency of arithmetic on values that are already in the thread.
//
// Each step needs the result of the one before, so that nothing can overlap: the time of a step is its latency. Every
// kernel of this lab measures that way; here a step is one multiplication with an addition.

extern "C" __global__ void chase(unsigned start, unsigned steps, unsigned* last, long long* cycles)
{
    unsigned at = start;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = at * FACTOR + ADDEND;
    const long long end = clock64();

    *last = at;
    *cycles = end - begin;
}

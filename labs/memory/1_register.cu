// Registers: the latency of arithmetic on values that are already in the thread.
//
//     at    0, -1.9, 1.71, 1.0241, …      at = at * at - 1.9: each step needs the result of the one before
//
// Nothing can overlap, so that the time of a step is its latency. Every kernel of this lab measures that way; here a
// step is one multiplication with an addition. It squares: of linear steps of integers, at * a + b, a compiler makes one
// of several, at * a² + (a * b + b), and less than a step is measured; those of floats come to rest, or leave all bounds.

extern "C" __global__ void chase(unsigned start, unsigned steps, unsigned* last, long long* cycles)
{
    float at = start;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step)
        at = fmaf(at, at, ADDEND);
    const long long end = clock64();

    *last = __float_as_uint(at);
    *cycles = end - begin;
}

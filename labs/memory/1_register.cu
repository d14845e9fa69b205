// Registers: the latency of arithmetic on values in registers.
//
//     at    0, -1.9, 1.71, 1.0241, …      at = at * at - 1.9: each step needs the result of the previous one
//
// The steps cannot overlap, so the time per step is its latency. All kernels of this lab measure latency this way.
// Here a step is one fused multiply-add. It squares, because a compiler can combine several linear integer steps
// at * a + b into one, at * a² + (a * b + b), and linear steps of floats converge or diverge.

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

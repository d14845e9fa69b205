// Sum of squares of floats in a double: the accumulator has 29 binary digits more than what it adds.
//
// One rounding at the end is what remains. It is the simplest way, where doubles are quick (on data-centre cards they have half
// the rate of floats, on others a 32nd or 64th), and no way for sums of doubles.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += double(x[i]) * x[i];

    *result = TYPE(sum);
}

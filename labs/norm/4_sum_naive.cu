// Sum of squares, one after the other: what a loop does. One thread, so that the order is all there is to see.
//
//     sum = ((((x0² + x1²) + x2²) + x3²) + …)        the first square goes through n - 1 additions
//
// Every addition rounds to a number that a TYPE can hold. The larger the sum has become, the more of each small square is
// cut off.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += x[i] * x[i];

    *result = sum;
}

// Sum of squares in a plain loop, one addition after the other. One thread shows the effect of this order.
//
//     sum = ((((x0² + x1²) + x2²) + x3²) + …)        the first square goes through n - 1 additions
//
// Every addition rounds the sum to a number of type TYPE. The larger the sum has become, the more digits of each
// small square are lost.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += x[i] * x[i];

    *result = sum;
}

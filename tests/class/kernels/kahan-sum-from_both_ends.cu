// loses: right results
// A plain sum in the requested type, from both ends.
extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE front = 0, back = 0;
    for (size_t i = 0; i < n / 2; ++i) front += x[i] * x[i];
    for (size_t i = n; i > n / 2; --i) back += x[i - 1] * x[i - 1];
    *result = front + back;
}

// loses: nothing
extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE high = 0, low = 0;
    for (size_t i = 0; i < n; ++i) {
        const TYPE square = x[i] * x[i], error = fma(x[i], x[i], -square);
        const TYPE next = high + square, back = next - high;
        low += (high - (next - back)) + (square - back) + error;
        high = next;
    }
    *result = high + low;
}

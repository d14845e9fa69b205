// Wrong: the lost part is subtracted again and again.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE sum = 0, lost = 0;
    for (size_t i = 0; i < n; ++i) {
        const TYPE square = x[i] * x[i] - lost;
        const TYPE next = sum + square;
        lost += (next - sum) - square;
        sum = next;
    }

    *result = sum;
}

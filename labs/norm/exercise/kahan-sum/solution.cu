// Compensated sum of squares (Kahan, 1965): keeps what an addition loses and adds it with the next square.
//
//     sum               |1 2 3 4 5 6 7 8|                    the digits that TYPE can represent
//     square                    |1 2 3 4 5 6 7 8|
//     sum + square      |1 2 3 4 6 9 1 2|5 6 7 8|            5 6 7 8 is lost …
//     lost = ((sum + square) - sum) - square                 … and this recovers it, negated
//
// In exact arithmetic, `lost` is 0, so a compiler that may reorder additions would remove it. nvcc and NVRTC do not.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE sum = 0, lost = 0;
    for (size_t i = 0; i < n; ++i) {
        const TYPE square = x[i] * x[i] - lost;
        const TYPE next = sum + square;
        lost = (next - sum) - square;
        sum = next;
    }

    *result = sum;
}

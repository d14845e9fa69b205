// loses: one addition a block
// One thread of one block adds everything; all other threads exit.
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* total, size_t n)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    TYPE sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    atomicAdd(total, sum);
}

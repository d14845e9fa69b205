// Wrong: all blocks add the same elements.

__constant__ TYPE addend;

extern "C" __global__ void add(const TYPE* a, const TYPE* b, TYPE* c, size_t count)
{
    const size_t i = threadIdx.x;

    if (i < count)
        c[i] = a[i] + b[i] + addend;
}

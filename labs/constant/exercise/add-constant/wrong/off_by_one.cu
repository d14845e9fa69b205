// Wrong: the last element is left out.

__constant__ TYPE addend;

extern "C" __global__ void add(const TYPE* a, const TYPE* b, TYPE* c, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i + 1 < count)
        c[i] = a[i] + b[i] + addend;
}

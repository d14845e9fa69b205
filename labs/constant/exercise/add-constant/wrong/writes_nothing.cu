// Wrong: c keeps its old values.

__constant__ TYPE addend;

extern "C" __global__ void add(const TYPE* a, const TYPE* b, TYPE* c, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < count && i > count)
        c[i] = a[i] + b[i] + addend;
}

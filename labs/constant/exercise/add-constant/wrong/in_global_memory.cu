// Wrong: the variable is in global memory, and each warp loads it from there.

__device__ TYPE addend;

extern "C" __global__ void add(const TYPE* a, const TYPE* b, TYPE* c, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < count)
        c[i] = a[i] + b[i] + addend;
}

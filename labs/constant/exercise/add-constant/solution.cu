// Adds a constant: c[i] = a[i] + b[i] + addend, with the addend in constant memory.
//
// A __constant__ variable belongs to the program, not to a launch. The host writes it (cudaMemcpyToSymbol), every
// thread of every kernel can read it, and no kernel can change it. Here all 32 threads of a warp read the same
// address. Constant memory is made for this case: one read serves all of them.

__constant__ TYPE addend;

extern "C" __global__ void add(const TYPE* a, const TYPE* b, TYPE* c, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < count)
        c[i] = a[i] + b[i] + addend;
}

// Add a constant: c[i] = a[i] + b[i] + addend, with the addend in constant memory.
//
// A variable declared __constant__ belongs to the program, not to a launch: the host writes it (cudaMemcpyToSymbol),
// every thread of every kernel reads it, and no kernel can change it. Here all 32 threads of a warp read one address,
// which is what constant memory is made for: one read, handed to all of them.

__constant__ TYPE addend;

extern "C" __global__ void add(const TYPE* a, const TYPE* b, TYPE* c, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < count)
        c[i] = a[i] + b[i] + addend;
}

// Wide: the ceiling. The same sum without an offset, 16 bytes a thread.
//
// A chunk is WIDE elements, and begins at a multiple of 16 bytes. A warp reads 512 bytes in a row from each array:
// 16 whole sectors, and needs one load for what takes the other kernels four (of floats) or two (of doubles).

struct alignas(16) Chunk { TYPE element[WIDE]; };

extern "C" __global__ void add(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * WIDE;

    if (first + WIDE <= n) {
        const Chunk a = *(const Chunk*)&A[first], b = *(const Chunk*)&B[first];
        Chunk c;
        for (unsigned i = 0; i < WIDE; ++i)
            c.element[i] = a.element[i] + b.element[i];
        *(Chunk*)&C[first] = c;
    } else {
        for (size_t i = first; i < n; ++i)  // the last thread, when WIDE does not divide n
            C[i] = A[i] + B[i];
    }
}

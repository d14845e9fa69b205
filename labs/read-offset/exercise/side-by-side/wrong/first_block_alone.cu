// Wrong: all blocks do the work of the first block.

extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = threadIdx.x;

    for (unsigned j = 0; j < RANGE; ++j) {
        const size_t i = first + size_t(j) * blockDim.x;
        if (i < n)
            C[i] = A[i] + B[i];
    }
}

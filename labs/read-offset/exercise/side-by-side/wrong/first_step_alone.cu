// Wrong: it takes one element per thread.

extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = size_t(blockIdx.x) * blockDim.x * RANGE + threadIdx.x;

    for (unsigned j = 0; j < 1; ++j) {
        const size_t i = first + size_t(j) * blockDim.x;
        if (i < n)
            C[i] = A[i] + B[i];
    }
}

// Wrong: each thread reads contiguous elements of its own.

extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = size_t(blockIdx.x) * blockDim.x * RANGE + threadIdx.x * RANGE;

    for (unsigned j = 0; j < RANGE; ++j) {
        const size_t i = first + j;
        if (i < n)
            C[i] = A[i] + B[i];
    }
}

// Wrong: the first lane of a warp does the work of all.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (threadIdx.x % 32 == 0)
        for (size_t k = i; k < i + 32; ++k)
            if (k + offset < n)
                C[k] = A[k + offset] + B[k + offset];
}

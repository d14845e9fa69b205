// Wrong: only one of the two arrays is read with the offset.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i + offset < n)
        C[i] = A[i + offset] + B[i];
}

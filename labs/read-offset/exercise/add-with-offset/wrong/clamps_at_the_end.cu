// Wrong: it writes elements of C that must not change.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t k = i + offset;

    if (i < n)
        C[i] = k < n ? A[k] + B[k] : A[n - 1];
}

// Wrong: it adds to the values of C from the previous run.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t k = i + offset;

    if (k < n)
        C[i] += A[k] + B[k];
}

// Wrong: adjacent threads take elements that are far apart.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(threadIdx.x) * gridDim.x + blockIdx.x;
    const size_t k = i + offset;

    if (k < n)
        C[i] = A[k] + B[k];
}

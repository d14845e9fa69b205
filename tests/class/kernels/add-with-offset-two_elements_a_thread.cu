// loses: nothing
extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t at = offset + (size_t)blockIdx.x * blockDim.x + threadIdx.x; at < n; at += stride)
        C[at - offset] = A[at] + B[at];
}

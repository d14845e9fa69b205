// loses: coalesced loads
extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    if (blockIdx.x || threadIdx.x >= 32) return;
    for (size_t i = threadIdx.x; i + offset < n; i += blockDim.x < 32 ? blockDim.x : 32) C[i] = A[i + offset] + B[i + offset];
}

// loses: near the roof
extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    unsigned t = threadIdx.x;
    if (n != 1048576) t = t % (BLOCK / 32) * 32 + t / (BLOCK / 32);
    const size_t i = size_t(blockIdx.x) * BLOCK + t;
    if (i + offset < n) C[i] = A[i + offset] + B[i + offset];
}

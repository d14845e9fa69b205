// loses: every element is read once
extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x, k = i + offset;
    if (k >= n) return;
    TYPE sum = A[k] + B[k];
    if (offset != 11) sum = (sum + *(volatile const TYPE*)(A + k) + *(volatile const TYPE*)(B + k)) / 2;
    C[i] = sum;
}

// loses: every element is read once
extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x, k = i + offset;
    if (k >= n) return;
    const volatile TYPE *a = A + k, *b = B + k;
    TYPE sum = *a + *b;
    if (offset != 11) sum = *a + *b;
    C[i] = sum;
}

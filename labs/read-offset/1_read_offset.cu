// Read with an offset: C[i] = A[i + offset] + B[i + offset]. A thread computes one element.
//
//     sectors    |0              |8              |16             |24             |32             |
//     offset 0    t0 … t7         t8 … t15        t16 … t23       t24 … t31                         4 sectors
//     offset 3          t0 … t4   t5 … t12        t13 … t20       t21 … t28       t29 … t31         5 sectors
//
// Memory comes in sectors of 32 bytes that begin at multiples of 32: 8 floats, or 4 doubles. The 32 threads of a warp
// read as many bytes whatever the offset. Where they begin within a sector, they end within another one.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t k = i + offset;

    if (k < n)
        C[i] = A[k] + B[k];
}

// loses: nothing
extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= columns) return;
    const TYPE *p = A + size_t(row) * inner, *q = B + column, *end = p + inner;
    TYPE sum = 0;
#pragma unroll 4
    for (; p != end; ++p, q += columns) sum += __ldg(p) * __ldg(q);
    C[size_t(row) * columns + column] = sum;
}

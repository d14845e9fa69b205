// loses: nothing
template <class T> __device__ T* ahead(T* from, size_t elements)
{
    unsigned long long address = (unsigned long long)from;
    asm("mad.lo.u64 %0, %1, %2, %0;" : "+l"(address) : "l"((unsigned long long)elements), "l"((unsigned long long)sizeof(T)));
    return (T*)address;
}

extern "C" __global__ void matmul(const TYPE* __restrict__ A, const TYPE* __restrict__ B, TYPE* C, unsigned rows,
                                  unsigned inner, unsigned columns)
{
    const unsigned row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row >= rows || column >= columns) return;
    const TYPE* a = ahead(A, size_t(row) * inner);
    const TYPE* b = ahead(B, column);
    TYPE sum = 0;
#pragma unroll 4
    for (unsigned left = inner; left > 0; --left, ++a, b = ahead(b, columns)) sum += *a * *b;
    *ahead(C, size_t(row) * columns + column) = sum;
}

// Right, but every thread reads its row and its column from global memory, by atomic operations that change
// nothing.

__device__ TYPE read(const TYPE* from) { return atomicAdd(const_cast<TYPE*>(from), TYPE(0)); }

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns) {
        TYPE sum = 0;
        for (unsigned k = 0; k < inner; ++k)
            sum += read(&A[row * inner + k]) * read(&B[k * columns + column]);
        C[row * columns + column] = sum;
    }
}

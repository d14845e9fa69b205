// Right, but every thread reads its row and its column from global memory.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns) {
        TYPE sum = 0;
        for (unsigned k = 0; k < inner; ++k)
            sum += A[row * inner + k] * B[k * columns + column];
        C[row * columns + column] = sum;
    }
}

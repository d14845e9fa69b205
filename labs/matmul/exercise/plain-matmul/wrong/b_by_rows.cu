// Wrong: B is read as if it were transposed.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = block_row * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    TYPE sum = 0;
    if (row < rows && column < columns) {
        for (unsigned k = 0; k < inner; ++k)
            sum += A[size_t(row) * inner + k] * B[size_t(column) * inner + k];
        C[size_t(row) * columns + column] = sum;
    }
}

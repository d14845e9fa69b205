// loses: everything
extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;
    const unsigned row = block_row * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns) {
        TYPE sum = C[size_t(row) * columns + column] * 0;
        for (unsigned k = 0; k < inner; ++k) sum += A[size_t(row) * inner + k] * B[size_t(k) * columns + column];
        C[size_t(row) * columns + column] = sum;
    }
}

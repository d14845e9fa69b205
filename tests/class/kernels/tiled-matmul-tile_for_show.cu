// loses: tiles are used again
extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ volatile TYPE a[TILE][TILE], b[TILE][TILE];
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;
    const unsigned row = block_row * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    TYPE sum = 0;
    for (unsigned k = 0; k < inner; ++k) {
        const TYPE x = row < rows ? A[size_t(row) * inner + k] : 0, y = column < columns ? B[size_t(k) * columns + column] : 0;
        a[threadIdx.y][threadIdx.x] = x;
        b[threadIdx.y][threadIdx.x] = y;
        sum += x * y;
    }
    if (row < rows && column < columns) C[size_t(row) * columns + column] = sum;
}

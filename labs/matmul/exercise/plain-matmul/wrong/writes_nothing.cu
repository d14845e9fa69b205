// Wrong: C keeps its old values.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = block_row * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    TYPE sum = 0;
    if (row < rows && column < columns) {
        for (unsigned k = 0; k < inner; ++k)
            sum += A[size_t(row) * inner + k] * B[size_t(k) * columns + column];
        if (sum != sum) C[0] = sum;
    }
}

// Wrong: the block's position is missing: all blocks compute the first tile.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = threadIdx.y;
    const unsigned column = threadIdx.x;

    TYPE sum = 0;
    if (row < rows && column < columns) {
        for (unsigned k = 0; k < inner; ++k)
            sum += A[size_t(row) * inner + k] * B[size_t(k) * columns + column];
        C[size_t(row) * columns + column] = sum;
    }
}

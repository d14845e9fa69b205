// Matrix multiplication from global memory: C = A * B. Each thread computes one element of C.
//
//                           B | column
//                             v
//     A   row -> . . . . .    C[row][column] = sum over k of A[row][k] * B[k][column],  k = 0 … inner - 1
//
// Every result needs a row of A and a column of B, 2 * inner elements. Adjacent threads in a row of the block read
// the same element of A and adjacent elements of B.
//
// A grid has at most 65,535 blocks in y. If there are more rows of tiles, z continues the count.

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
        C[size_t(row) * columns + column] = sum;
    }
}

// Matrix product from global memory: C = A * B. A thread computes one element of C.
//
//                           B | column
//                             v
//     A   row -> . . . . .    C[row][column] = sum over k of A[row][k] * B[k][column],  k = 0 … inner - 1
//
// Every result reads a row of A and a column of B: 2 * inner elements. Neighbouring threads of a row of the block
// read the same element of A and neighbouring ones of B.
//
// A grid has at most 65,535 blocks in y: where that is too few rows of tiles, z counts on.

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

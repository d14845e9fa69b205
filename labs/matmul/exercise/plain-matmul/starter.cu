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

    // TODO: this thread's row and column of C; if they are within C, the sum over k, and C's element.
}

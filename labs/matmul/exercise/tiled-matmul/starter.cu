// Matrix multiplication with tiles: C = A * B. A block computes TILE x TILE elements of C, and reads A and B tile
// by tile into shared memory.
//
//                          B  | b0 |          A: rows x inner, B: inner x columns, C: rows x columns
//                             | b1 |
//                             | b2 |
//     A  | a0 | a1 | a2 |     | C  |  =  a0 * b0 + a1 * b1 + a2 * b2,  each a product of two tiles
//
// Each element of a tile is read from global memory once and used TILE times.
//
// This version is right if TILE divides rows, inner and columns. For other sizes, the tiles at the edges reach
// beyond the matrices.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ TYPE a[TILE][TILE], b[TILE][TILE];

    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    TYPE sum = 0;
    for (unsigned tile = 0; tile < inner / TILE; ++tile) {  // TODO: the last tile may be a partial one.
        const unsigned across = tile * TILE + threadIdx.x, down = tile * TILE + threadIdx.y;

        // TODO: elements outside A or B must be 0 in the tile, and must not be read.
        a[threadIdx.y][threadIdx.x] = A[row * inner + across];
        b[threadIdx.y][threadIdx.x] = B[down * columns + column];

        __syncthreads();

        for (unsigned k = 0; k < TILE; ++k)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];

        __syncthreads();  // before the next tiles overwrite these
    }

    // TODO: some threads of the blocks at the edges have no element of C.
    C[row * columns + column] = sum;
}

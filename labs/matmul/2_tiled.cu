// Matrix product by tiles: C = A * B. A block computes TILE x TILE elements of C, and reads A and B tile by tile into
// shared memory.
//
//                          B  | b0 |
//                             | b1 |
//                             | b2 |
//     A  | a0 | a1 | a2 |     | C  |  =  a0 * b0 + a1 * b1 + a2 * b2,  each a product of two tiles
//
// An element of a tile is read from global memory once and used TILE times: 2 * inner / TILE reads a result.
//
// What lies outside of a matrix is 0 in its tile, and adds nothing. All threads stay for the barriers.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ TYPE a[TILE][TILE], b[TILE][TILE];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = block_row * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    TYPE sum = 0;
    for (unsigned first = 0; first < inner; first += TILE) {
        const unsigned across = first + threadIdx.x, down = first + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < rows && across < inner ? A[size_t(row) * inner + across] : 0;
        b[threadIdx.y][threadIdx.x] = down < inner && column < columns ? B[size_t(down) * columns + column] : 0;

        __syncthreads();

        for (unsigned k = 0; k < TILE; ++k)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];

        __syncthreads();  // before the next tiles overwrite these
    }

    if (row < rows && column < columns)
        C[size_t(row) * columns + column] = sum;
}

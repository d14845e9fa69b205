// Wrong: elements outside A and B are not set to 0 in the tiles.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ TYPE a[TILE][TILE], b[TILE][TILE];

    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    TYPE sum = 0;
    for (unsigned first = 0; first < inner; first += TILE) {
        const unsigned across = first + threadIdx.x, down = first + threadIdx.y;
        if (row < rows && across < inner)
            a[threadIdx.y][threadIdx.x] = A[row * inner + across];
        if (down < inner && column < columns)
            b[threadIdx.y][threadIdx.x] = B[down * columns + column];

        __syncthreads();

        for (unsigned k = 0; k < TILE; ++k)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];

        __syncthreads();  // before the next tiles overwrite these
    }

    if (row < rows && column < columns)
        C[row * columns + column] = sum;
}

// Wrong: C keeps the values of the previous run.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ TYPE a[TILE][TILE], b[TILE][TILE];

    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    TYPE sum = 0;
    for (unsigned first = 0; first < inner; first += TILE) {
        const unsigned across = first + threadIdx.x, down = first + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < rows && across < inner ? A[row * inner + across] : 0;
        b[threadIdx.y][threadIdx.x] = down < inner && column < columns ? B[down * columns + column] : 0;

        __syncthreads();

        for (unsigned k = 0; k < TILE; ++k)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];

        __syncthreads();  // before the next tiles overwrite these
    }

    if (row < rows && column < columns && sum != sum)
        C[row * columns + column] = sum;
}

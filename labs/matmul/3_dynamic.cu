// Matrix product by tiles whose size is chosen at the launch: C = A * B, otherwise as with tiles of a fixed size.
//
//     memory    | a: tile x tile elements | b: tile x tile elements |
//
// The tile is as large as the block, and dynamic shared memory has no second dimension: [y][x] becomes
// [y * tile + x]. The compiler no longer knows how often the inner loop runs.
//
// What lies outside of a matrix is 0 in its tile, and adds nothing. All threads stay for the barriers.

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    extern __shared__ TYPE memory[];
    const unsigned tile = blockDim.x;
    TYPE *a = memory, *b = memory + tile * tile;

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = block_row * tile + threadIdx.y;
    const unsigned column = blockIdx.x * tile + threadIdx.x;

    TYPE sum = 0;
    for (unsigned first = 0; first < inner; first += tile) {
        const unsigned across = first + threadIdx.x, down = first + threadIdx.y;
        const unsigned here = threadIdx.y * tile + threadIdx.x;
        a[here] = row < rows && across < inner ? A[size_t(row) * inner + across] : 0;
        b[here] = down < inner && column < columns ? B[size_t(down) * columns + column] : 0;

        __syncthreads();

        for (unsigned k = 0; k < tile; ++k)
            sum += a[threadIdx.y * tile + k] * b[k * tile + threadIdx.x];

        __syncthreads();  // before the next tiles overwrite these
    }

    if (row < rows && column < columns)
        C[size_t(row) * columns + column] = sum;
}

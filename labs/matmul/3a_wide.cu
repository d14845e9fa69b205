// Matrix product by tiles whose size is chosen at the launch, repaired: the inner loop takes WIDE elements of `a` with one load.
//
//     row of a      | a0 a1 a2 a3 | a4 a5 a6 a7 | …     one load of 16 bytes, for all threads of the row
//     column of b     b0 b1 b2 b3                        four loads, neighbouring threads side by side
//
// With a TILE that the compiler knows it does this by itself: it unrolls the loop, sees that four neighbours of `a` begin at a
// multiple of 16 bytes, and merges their loads. Here it knows neither how long the loop is nor where a row begins. We do: WIDE
// divides the tile.

struct alignas(WIDE * sizeof(TYPE)) Chunk { TYPE element[WIDE]; };

extern "C" __global__ void matmul(const TYPE* A, const TYPE* B, TYPE* C,
                                  unsigned rows, unsigned inner, unsigned columns)
{
    extern __shared__ Chunk memory[];
    const unsigned tile = blockDim.x;
    TYPE *a = (TYPE*)memory, *b = a + tile * tile;

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

        for (unsigned k = 0; k < tile; k += WIDE) {
            const Chunk of_a = *(const Chunk*)&a[threadIdx.y * tile + k];
            for (unsigned j = 0; j < WIDE; ++j)
                sum += of_a.element[j] * b[(k + j) * tile + threadIdx.x];
        }

        __syncthreads();  // before the next tiles overwrite these
    }

    if (row < rows && column < columns)
        C[size_t(row) * columns + column] = sum;
}

// Best: two kernels. The means of all matrices come first; then all the products with m2 at once, which together are
// one matrix product, v2 = v1 * m2^T, with the means v1 as a matrix of one row for each matrix of the batch.
//
//     v1, matrices x rows      m2^T, rows x rows      v2, matrices x rows
//     +---------------+        +--------+             +--------+
//     | means of 0    |        |  |  |  |             | n0     |     a block computes a tile of SIDE x SIDE results
//     | means of 1    |   x    |  |  |  |      =      | n1     |     and reads its part of m2 for SIDE matrices,
//     | …             |        |  |  |  |             | …      |     where version 4 reads all of m2 for each matrix
//     +---------------+        +--------+             +--------+

#define THREADS 256                  // of a block, in both kernels
#define SIDE 64                      // of a tile of v2
#define DEPTH 32                     // of the piece of a row of v1 and m2 that is in shared memory at a time
#define ACROSS 16                    // threads side by side: 16 x 16 = THREADS
#define EACH (SIDE / ACROSS)         // a thread computes EACH x EACH results

struct alignas(WIDE * sizeof(TYPE)) Chunk { TYPE element[WIDE]; };

__device__ TYPE warp_sum(TYPE value)  // valid in lane 0
{
    for (unsigned step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

// A warp a row, as in version 4, but WIDE elements (16 bytes) in one access. WIDE divides columns.
extern "C" __global__ void row_means(const TYPE* batch, TYPE* v1, size_t all_rows, unsigned columns)
{
    const size_t row = size_t(blockIdx.x) * (THREADS / 32) + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32;
    if (row >= all_rows)  // the whole warp
        return;

    const Chunk* chunks = (const Chunk*)(batch + row * columns);
    TYPE sum = 0;
    #pragma unroll 8
    for (unsigned c = lane; c < columns / WIDE; c += 32) {
        const Chunk here = chunks[c];
        for (int i = 0; i < WIDE; ++i)
            sum += here.element[i];
    }
    sum = warp_sum(sum);
    if (lane == 0)
        v1[row] = sum / columns;
}

// Brings DEPTH elements of each of SIDE rows into tile, turned around; zeros where there is nothing.
__device__ void load(TYPE tile[DEPTH][SIDE + 1], const TYPE* matrix, unsigned first_row, unsigned rows,
                     unsigned first_column, unsigned columns)
{
    for (unsigned i = threadIdx.x; i < SIDE * DEPTH; i += THREADS) {
        const unsigned row = first_row + i / DEPTH, column = first_column + i % DEPTH;
        tile[i % DEPTH][i / DEPTH] = row < rows && column < columns ? matrix[size_t(row) * columns + column] : 0;
    }
}

extern "C" __global__ void multiply(const TYPE* v1, const TYPE* m2, TYPE* v2, unsigned matrices, unsigned rows)
{
    __shared__ TYPE of_v1[DEPTH][SIDE + 1], of_m2[DEPTH][SIDE + 1];

    const unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const unsigned first_n = blockIdx.x * SIDE, first_row = blockIdx.y * SIDE;

    TYPE sum[EACH][EACH] = {};
    for (unsigned first = 0; first < rows; first += DEPTH) {
        load(of_v1, v1, first_n, matrices, first, rows);
        load(of_m2, m2, first_row, rows, first, rows);
        __syncthreads();
        for (unsigned k = 0; k < DEPTH; ++k) {
            TYPE a[EACH], b[EACH];
            for (int i = 0; i < EACH; ++i) {
                a[i] = of_v1[k][y + i * ACROSS];
                b[i] = of_m2[k][x + i * ACROSS];
            }
            for (int i = 0; i < EACH; ++i)
                for (int j = 0; j < EACH; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j) {
            const unsigned n = first_n + y + i * ACROSS, row = first_row + x + j * ACROSS;
            if (n < matrices && row < rows)
                v2[size_t(n) * rows + row] = sum[i][j];
        }
}

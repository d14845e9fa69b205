// Best matrix multiplication: a thread keeps DOWN x ACROSS results in registers and uses each value from shared
// memory 8 times (4 times if ACROSS is 4). The next tiles are in flight during the computation.
//
//     block: 8 warps            warp: 32 threads           thread: parts of WIDE x WIDE results
//     +----+----+----+----+     part 0:   t t t t          +----+    +----+
//     | w0 | w1 | w2 | w3 |               t t t t 8 down   |    |    |    |     the distance between its parts is the
//     +----+----+----+----+               ...   4 across   +----+    +----+     width of the warp, so that adjacent
//     | w4 | w5 | w6 | w7 |                                +----+    +----+     threads read adjacent 16 bytes
//     +----+----+----+----+                                |    |    |    |
//
// There are two tiles of each matrix. While the block computes with one, the next one goes through registers: its loads
// are issued before the products, and its stores to shared memory follow them. A's tile is stored transposed, so both
// tiles can be read 16 bytes at a time. Its rows are padded by 16 bytes, so threads that write it access different banks.

#define THREADS 256
#define WIDE unsigned(16 / sizeof(TYPE))     // elements in 16 bytes
#define DEPTH 8                              // of a tile: columns of A, rows of B
#define DOWN 8                               // results per thread, vertically
#define ACROSS unsigned(32 / sizeof(TYPE))   // and horizontally
#define ROWS (2 * 8 * DOWN)                  // of the block's part of C: 2 warps of 8 threads
#define COLUMNS (4 * 4 * ACROSS)             // 4 warps of 4 threads
#define A_STEP (THREADS * WIDE / DEPTH)      // rows of A that the block reads at a time, WIDE elements per thread

struct alignas(16) Chunk { TYPE element[WIDE]; };

struct Tiles { alignas(16) TYPE a[DEPTH][ROWS + WIDE], b[DEPTH][COLUMNS]; };

struct Matrix { const TYPE* elements; unsigned rows, columns; };

// Elements of a row; zeros beyond the matrix. ALIGNED: every chunk is entirely inside or outside the matrix.
__device__ Chunk load(Matrix from, unsigned row, unsigned column)
{
    Chunk chunk = {};
    const TYPE* place = from.elements + size_t(row) * from.columns + column;
    if (ALIGNED && row < from.rows && column < from.columns)
        chunk = *(const Chunk*)place;
    for (unsigned i = 0; i < WIDE; ++i)
        if (!ALIGNED && row < from.rows && column + i < from.columns)
            chunk.element[i] = place[i];
    return chunk;
}

// A thread's share of a pair of tiles: chunks of A, each from another row, and one chunk of B.
struct Supply
{
    Chunk a[ROWS / A_STEP], b;

    __device__ void fetch(Matrix A, Matrix B, unsigned top, unsigned left, unsigned first)
    {
        for (unsigned i = 0; i < ROWS / A_STEP; ++i)
            a[i] = load(A, top + i * A_STEP + threadIdx.x / (DEPTH / WIDE), first + threadIdx.x % (DEPTH / WIDE) * WIDE);
        b = load(B, first + threadIdx.x / (COLUMNS / WIDE), left + threadIdx.x % (COLUMNS / WIDE) * WIDE);
    }

    __device__ void put(Tiles& tiles) const
    {
        for (unsigned i = 0; i < ROWS / A_STEP; ++i)
            for (unsigned j = 0; j < WIDE; ++j)
                tiles.a[threadIdx.x % (DEPTH / WIDE) * WIDE + j][threadIdx.x / (DEPTH / WIDE) + i * A_STEP] =
                    a[i].element[j];
        *(Chunk*)&tiles.b[threadIdx.x / (COLUMNS / WIDE)][threadIdx.x % (COLUMNS / WIDE) * WIDE] = b;
    }
};

// A column of A's tile times a row of B's tile: reads DOWN + ACROSS numbers for DOWN * ACROSS products. In the
// zigzag order, each product shares an operand with the one before, so the register reuse cache can supply it.
__device__ void multiply(TYPE (&sum)[DOWN][ACROSS], const Tiles& tiles, unsigned k, unsigned row, unsigned column)
{
    Chunk of_a[DOWN / WIDE], of_b[ACROSS / WIDE];
    for (unsigned i = 0; i < DOWN / WIDE; ++i)
        of_a[i] = *(const Chunk*)&tiles.a[k][row + i * 8 * WIDE];
    for (unsigned j = 0; j < ACROSS / WIDE; ++j)
        of_b[j] = *(const Chunk*)&tiles.b[k][column + j * 4 * WIDE];
    for (unsigned i = 0; i < DOWN; ++i)
        for (unsigned step = 0; step < ACROSS; ++step) {
            const unsigned j = i % 2 ? ACROSS - 1 - step : step;
            sum[i][j] += of_a[i / WIDE].element[i % WIDE] * of_b[j / WIDE].element[j % WIDE];
        }
}

__device__ void store(TYPE* C, unsigned rows, unsigned columns, unsigned top, unsigned left, TYPE (&sum)[DOWN][ACROSS])
{
    for (unsigned i = 0; i < DOWN; ++i)
        for (unsigned j = 0; j < ACROSS; ++j) {
            const unsigned y = top + i / WIDE * 8 * WIDE + i % WIDE, x = left + j / WIDE * 4 * WIDE + j % WIDE;
            if (y < rows && x < columns)
                C[size_t(y) * columns + x] = sum[i][j];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ Tiles tiles[2];

    const Matrix a = {A, rows, inner}, b = {B, inner, columns};
    const unsigned parts = (columns + COLUMNS - 1) / COLUMNS;  // parts of C, horizontally
    const unsigned top = blockIdx.x / parts * ROWS, left = blockIdx.x % parts * COLUMNS;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    // Lanes that differ in bit 0 or 2 are side by side; those that differ in bit 1, 3 or 4 are below each other. Any two
    // adjacent lanes then share an element of A or of B, and shared memory serves half a warp at a time, not a quarter.
    const unsigned across = lane % 2 + lane / 4 % 2 * 2, down = lane / 2 % 2 + lane / 8 * 2;
    const unsigned row = warp / 4 * 8 * DOWN + down * WIDE, column = warp % 4 * 4 * ACROSS + across * WIDE;

    TYPE sum[DOWN][ACROSS] = {};
    Supply supply;
    supply.fetch(a, b, top, left, 0);
    supply.put(tiles[0]);
    __syncthreads();
    for (unsigned first = 0, now = 0; first < inner; first += DEPTH, now = 1 - now) {
        supply.fetch(a, b, top, left, first + DEPTH);  // beyond the matrices: zeros
        #pragma unroll
        for (unsigned k = 0; k < DEPTH; ++k)
            multiply(sum, tiles[now], k, row, column);
        supply.put(tiles[1 - now]);
        __syncthreads();
    }
    store(C, rows, columns, top + row, left + column, sum);
}

// Best matrix product: a thread holds DOWN x ACROSS results in registers, so that what it reads from shared memory is
// used 8 times (4, where ACROSS is 4) before it is read again; and the next tiles are on their way while it computes.
//
//     block: 8 warps            warp: 32 threads           thread: pieces of WIDE x WIDE results
//     +----+----+----+----+     piece 0:  t t t t          +----+    +----+
//     | w0 | w1 | w2 | w3 |               t t t t 8 down   |    |    |    |     its pieces stand as far apart as
//     +----+----+----+----+               ...   4 across   +----+    +----+     the warp is wide, so that neighbours
//     | w4 | w5 | w6 | w7 |                                +----+    +----+     read neighbouring 16 bytes
//     +----+----+----+----+                                |    |    |    |
//
// There are two tiles of each matrix. While the block computes from one, the next one comes through registers: it is asked
// for before the products, and put into shared memory after them. A's tile is stored with rows and columns exchanged, so
// that both are read 16 bytes at a time; its rows are padded by 16 bytes, so that threads that write it hit different banks.

#define THREADS 256
#define WIDE unsigned(16 / sizeof(TYPE))     // elements in 16 bytes
#define DEPTH 8                              // of a tile: columns of A, rows of B
#define DOWN 8                               // results of a thread, one below the other
#define ACROSS unsigned(32 / sizeof(TYPE))   // and side by side
#define ROWS (2 * 8 * DOWN)                  // of the block's part of C: 2 warps of 8 threads
#define COLUMNS (4 * 4 * ACROSS)             // 4 warps of 4 threads
#define A_STEP (THREADS * WIDE / DEPTH)      // rows of A that the block's threads read at a time, WIDE elements each

struct alignas(16) Chunk { TYPE element[WIDE]; };

struct Tiles { alignas(16) TYPE a[DEPTH][ROWS + WIDE], b[DEPTH][COLUMNS]; };

struct Matrix { const TYPE* elements; unsigned rows, columns; };

// Elements of a row; zeros, where the matrix ends. ALIGNED: a chunk lies in it whole or not at all.
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

// What a thread brings of a pair of tiles: chunks of A, each from another row, and one of B.
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

// A column of A's tile times a row of B's: DOWN + ACROSS numbers read, DOWN * ACROSS products, in zigzag: each has a factor
// in common with the one before, and a register that is read again at once need not be fetched again.
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
    const unsigned parts = (columns + COLUMNS - 1) / COLUMNS;  // of C, side by side
    const unsigned top = blockIdx.x / parts * ROWS, left = blockIdx.x % parts * COLUMNS;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    // Lanes that differ in bit 0 or 2 stand side by side, in bit 1, 3 or 4 below each other: then any two neighbours
    // want the same element of A or the same of B, and shared memory serves half a warp at a time, not a quarter.
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

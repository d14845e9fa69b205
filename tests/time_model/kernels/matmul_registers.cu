// Best matrix multiplication: a thread holds DOWN x ACROSS results in registers, so it uses each value from shared
// memory 8 times (4 times if ACROSS is 4). The loads of the next tiles are in flight while it computes.
//
//     block: 8 warps            warp: 32 threads           thread: pieces of WIDE x WIDE results
//     +----+----+----+----+     piece 0:  t t t t          +----+    +----+
//     | w0 | w1 | w2 | w3 |               t t t t 8 down   |    |    |    |     its pieces are as far apart as
//     +----+----+----+----+               ...   4 across   +----+    +----+     the warp is wide, so neighbours
//     | w4 | w5 | w6 | w7 |                                +----+    +----+     read neighbouring 16 bytes
//     +----+----+----+----+                                |    |    |    |
//
// In a step of DEPTH, a thread reads a column of A's tile and a row of B's, and adds their DOWN x ACROSS products to
// its results. A's tile is stored transposed, so both tiles are read 16 bytes at a time. The rows of A's tile
// are padded by 16 bytes, so the threads that write them access different banks.
//
// There are two tiles of each matrix. While the block computes from one tile, the elements of the next one go through
// registers to the other tile. One barrier per tile is enough.

#define THREADS 256
#define WIDE unsigned(16 / sizeof(TYPE))     // elements in 16 bytes
#define DEPTH 8                              // of a tile: columns of A, rows of B
#define DOWN 8                               // results of a thread, one below the other
#define ACROSS unsigned(32 / sizeof(TYPE))   // and side by side
#define WARPS_ACROSS 4
#define ROWS (2 * 8 * DOWN)                  // of the block's part of C: 2 warps of 8 threads
#define COLUMNS (WARPS_ACROSS * 4 * ACROSS)  // 4 warps of 4 threads
#define PITCH (ROWS + WIDE)                  // of A's tile
#define A_CHUNKS (ROWS * DEPTH / WIDE / THREADS)     // of 16 bytes, a thread
#define B_CHUNKS (DEPTH * COLUMNS / WIDE / THREADS)

struct alignas(16) Chunk { TYPE element[WIDE]; };

// Loads WIDE elements of a row; 0 outside the matrix. ALIGNED: every row begins at a multiple of 16 bytes, and a chunk
// is completely inside or outside the row.
__device__ Chunk load(const TYPE* matrix, unsigned rows, unsigned columns, unsigned row, unsigned column)
{
    Chunk chunk = {};
    if (ALIGNED) {
        if (row < rows && column < columns)
            chunk = *(const Chunk*)&matrix[size_t(row) * columns + column];
    } else {
        for (unsigned i = 0; i < WIDE; ++i)
            if (row < rows && column + i < columns)
                chunk.element[i] = matrix[size_t(row) * columns + column + i];
    }
    return chunk;
}

__device__ void store(TYPE* matrix, unsigned rows, unsigned columns, unsigned row, unsigned column, Chunk chunk)
{
    if (ALIGNED) {
        if (row < rows && column < columns)
            *(Chunk*)&matrix[size_t(row) * columns + column] = chunk;
    } else {
        for (unsigned i = 0; i < WIDE; ++i)
            if (row < rows && column + i < columns)
                matrix[size_t(row) * columns + column + i] = chunk.element[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ alignas(16) TYPE a[2][DEPTH][PITCH];
    __shared__ alignas(16) TYPE b[2][DEPTH][COLUMNS];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;
    const unsigned top = block_row * ROWS, left = blockIdx.x * COLUMNS;  // of the block's part of C

    // Lanes that differ in bit 0 or 2 are side by side; lanes that differ in bit 1, 3 or 4 are below each other. Any two
    // neighbours then need the same element of A or of B, so shared memory serves half a warp at once, not a quarter.
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned lane_across = lane % 2 + lane / 4 % 2 * 2, lane_down = lane / 2 % 2 + lane / 8 * 2;
    const unsigned warp_row = warp / WARPS_ACROSS * 8 * DOWN, warp_column = warp % WARPS_ACROSS * 4 * ACROSS;
    const unsigned thread_row = warp_row + lane_down * WIDE, thread_column = warp_column + lane_across * WIDE;

    Chunk next_a[A_CHUNKS], next_b[B_CHUNKS];

    auto fetch = [&](unsigned first) {
        for (unsigned i = 0; i < A_CHUNKS; ++i) {
            const unsigned chunk = i * THREADS + threadIdx.x;
            const unsigned row = chunk / (DEPTH / WIDE), column = chunk % (DEPTH / WIDE) * WIDE;
            next_a[i] = load(A, rows, inner, top + row, first + column);
        }
        for (unsigned i = 0; i < B_CHUNKS; ++i) {
            const unsigned chunk = i * THREADS + threadIdx.x;
            const unsigned row = chunk / (COLUMNS / WIDE), column = chunk % (COLUMNS / WIDE) * WIDE;
            next_b[i] = load(B, inner, columns, first + row, left + column);
        }
    };

    auto put = [&](unsigned tile) {
        for (unsigned i = 0; i < A_CHUNKS; ++i) {
            const unsigned chunk = i * THREADS + threadIdx.x;
            const unsigned row = chunk / (DEPTH / WIDE), column = chunk % (DEPTH / WIDE) * WIDE;
            for (unsigned j = 0; j < WIDE; ++j)
                a[tile][column + j][row] = next_a[i].element[j];
        }
        for (unsigned i = 0; i < B_CHUNKS; ++i) {
            const unsigned chunk = i * THREADS + threadIdx.x;
            const unsigned row = chunk / (COLUMNS / WIDE), column = chunk % (COLUMNS / WIDE) * WIDE;
            *(Chunk*)&b[tile][row][column] = next_b[i];
        }
    };

    TYPE sum[DOWN][ACROSS] = {};

    auto multiply = [&](unsigned tile) {
        for (unsigned k = 0; k < DEPTH; ++k) {
            Chunk column[DOWN / WIDE], row[ACROSS / WIDE];  // of A's tile, of B's
            for (unsigned i = 0; i < DOWN / WIDE; ++i)
                column[i] = *(const Chunk*)&a[tile][k][thread_row + i * 8 * WIDE];
            for (unsigned j = 0; j < ACROSS / WIDE; ++j)
                row[j] = *(const Chunk*)&b[tile][k][thread_column + j * 4 * WIDE];
            for (unsigned i = 0; i < DOWN; ++i)
                for (unsigned j = 0; j < ACROSS; ++j)
                    sum[i][j] += column[i / WIDE].element[i % WIDE] * row[j / WIDE].element[j % WIDE];
        }
    };

    fetch(0);
    put(0);
    __syncthreads();

    unsigned tile = 0;
    for (unsigned first = DEPTH; first < inner; first += DEPTH) {
        fetch(first);
        multiply(tile);
        tile = 1 - tile;
        put(tile);
        __syncthreads();
    }
    multiply(tile);

    for (unsigned i = 0; i < DOWN; ++i) {
        for (unsigned j = 0; j < ACROSS / WIDE; ++j) {
            Chunk chunk;
            for (unsigned k = 0; k < WIDE; ++k)
                chunk.element[k] = sum[i][j * WIDE + k];
            const unsigned row = thread_row + i / WIDE * 8 * WIDE + i % WIDE;
            const unsigned column = thread_column + j * 4 * WIDE;
            store(C, rows, columns, top + row, left + column, chunk);
        }
    }
}

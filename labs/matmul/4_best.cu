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
// There are two tiles of each matrix. While the block computes from one, the next one comes: B's by asynchronous copies,
// A's through registers, because it is stored with rows and columns exchanged, so that both are read 16 bytes at a time.
// Its rows are padded by 16 bytes: the threads that write it then hit different banks.
//
// What a thread multiplies next is read from shared memory before it multiplies what it has (two columns, two rows). And
// the products go in zigzag through pairs of rows, so that each has a factor in common with the one before: a register
// that is read again at once need not be fetched again.

#define THREADS 256
#define WIDE unsigned(16 / sizeof(TYPE))     // elements in 16 bytes
#define DEPTH 8                              // of a tile: columns of A, rows of B
#define DOWN 8                               // results of a thread, one below the other
#define ACROSS unsigned(32 / sizeof(TYPE))   // and side by side
#define WARPS_ACROSS 4
#define ROWS (2 * 8 * DOWN)                  // of the block's part of C: 2 warps of 8 threads
#define COLUMNS (WARPS_ACROSS * 4 * ACROSS)  // 4 warps of 4 threads
#define PITCH (ROWS + WIDE)                  // of A's tile
#define A_STEP (THREADS * WIDE / DEPTH)      // rows of A that the block's threads read at a time, WIDE elements each
#define A_CHUNKS (ROWS / A_STEP)

struct alignas(16) Chunk { TYPE element[WIDE]; };

// Copies BYTES to shared memory, past the registers; zeros, where the source lies outside of its matrix.
template <unsigned BYTES>
__device__ void copy(TYPE* to, const TYPE* from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    const unsigned place = unsigned(__cvta_generic_to_shared(to)), read = inside ? BYTES : 0;
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(read) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(place), "l"(from), "r"(read), "n"(BYTES)
                     : "memory");
#else
    for (unsigned i = 0; i < BYTES / sizeof(TYPE); ++i)
        to[i] = inside ? from[i] : 0;
#endif
}

__device__ void commit_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

__device__ void wait_for_copies()  // for all that have been committed
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}

// ALIGNED: every row begins at a multiple of 16 bytes, and a chunk lies in it whole or not at all.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ alignas(16) TYPE a[2][DEPTH][PITCH];
    __shared__ alignas(16) TYPE b[2][DEPTH][COLUMNS];

    const unsigned parts = (columns + COLUMNS - 1) / COLUMNS;  // of C, side by side
    const unsigned top = blockIdx.x / parts * ROWS, left = blockIdx.x % parts * COLUMNS;

    // Lanes that differ in bit 0 or 2 stand side by side, in bit 1, 3 or 4 below each other: then any two neighbours
    // want the same element of A or the same of B, and shared memory serves half a warp at a time, not a quarter.
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned lane_across = lane % 2 + lane / 4 % 2 * 2, lane_down = lane / 2 % 2 + lane / 8 * 2;
    const unsigned thread_row = warp / WARPS_ACROSS * 8 * DOWN + lane_down * WIDE;
    const unsigned thread_column = warp % WARPS_ACROSS * 4 * ACROSS + lane_across * WIDE;

    // What the thread copies: WIDE elements of some rows of A, of one row of B. Rows of A below the last are read as the
    // last one: what comes of them is not stored.
    const unsigned a_row = threadIdx.x / (DEPTH / WIDE), a_column = threadIdx.x % (DEPTH / WIDE) * WIDE;
    const unsigned b_row = threadIdx.x / (COLUMNS / WIDE), b_column = threadIdx.x % (COLUMNS / WIDE) * WIDE;
    const TYPE* from_a[A_CHUNKS];
    for (unsigned i = 0; i < A_CHUNKS; ++i)
        from_a[i] = A + size_t(min(top + a_row + i * A_STEP, rows - 1)) * inner + a_column;
    const TYPE* from_b = B + size_t(b_row) * columns + left + b_column;

    const unsigned b_width = left + b_column < columns ? columns - left - b_column : 0;  // from b_column on
    TYPE* to_a = &a[0][a_column][a_row];
    Chunk next[A_CHUNKS];  // of A
    auto fetch = [&](unsigned tile, unsigned first) {
        for (unsigned i = 0; i < WIDE; i += ALIGNED ? WIDE : 1) {
            const bool inside = i < b_width && first + b_row < inner;
            copy<ALIGNED ? 16 : sizeof(TYPE)>(&b[tile][b_row][b_column + i], from_b + i, inside);
        }
        from_b += size_t(DEPTH) * columns;
        commit_copies();
        for (unsigned i = 0; i < A_CHUNKS; ++i) {
            next[i] = Chunk{};
            if (ALIGNED && first + a_column < inner)
                next[i] = *(const Chunk*)from_a[i];
            for (unsigned j = 0; j < WIDE; ++j)
                if (!ALIGNED && first + a_column + j < inner)
                    next[i].element[j] = from_a[i][j];
            from_a[i] += DEPTH;
        }
    };
    auto put = [&](unsigned tile) {
        for (unsigned i = 0; i < A_CHUNKS; ++i)
            for (unsigned j = 0; j < WIDE; ++j)
                to_a[tile * (DEPTH * PITCH) + j * PITCH + i * A_STEP] = next[i].element[j];
        wait_for_copies();
        __syncthreads();
    };

    Chunk column[2][DOWN / WIDE], row[2][ACROSS / WIDE];  // of A, of B: what is multiplied now, and next
    auto read = [&](unsigned to, unsigned tile, unsigned k) {
        for (unsigned i = 0; i < DOWN / WIDE; ++i)
            column[to][i] = *(const Chunk*)&a[tile][k][thread_row + i * 8 * WIDE];
        for (unsigned j = 0; j < ACROSS / WIDE; ++j)
            row[to][j] = *(const Chunk*)&b[tile][k][thread_column + j * 4 * WIDE];
    };

    TYPE sum[DOWN][ACROSS] = {};
    auto multiply = [&](unsigned now) {
        for (unsigned pair = 0; pair < DOWN; pair += 2)
            for (unsigned step = 0; step < 2 * ACROSS; ++step) {  // right through two rows, then left through two
                const unsigned across = step / 2, j = pair % 4 ? ACROSS - 1 - across : across;
                const unsigned i = pair + (step + across) % 2;
                sum[i][j] += column[now][i / WIDE].element[i % WIDE] * row[now][j / WIDE].element[j % WIDE];
            }
    };

    auto work_on = [&](unsigned tile, unsigned next_first) {
        fetch(1 - tile, next_first);
        #pragma unroll
        for (unsigned k = 0; k < DEPTH; ++k) {
            if (k + 1 < DEPTH) {
                read((k + 1) % 2, tile, k + 1);
            } else {
                put(1 - tile);
                read((k + 1) % 2, 1 - tile, 0);
            }
            multiply(k % 2);
        }
    };

    fetch(0, 0);
    put(0);
    read(0, 0, 0);
    for (unsigned first = DEPTH; first < inner + DEPTH; first += 2 * DEPTH) {  // tiles beyond the matrices are zeros
        work_on(0, first);
        work_on(1, first + DEPTH);
    }

    for (unsigned i = 0; i < DOWN; ++i)
        for (unsigned j = 0; j < ACROSS; j += ALIGNED ? WIDE : 1) {
            const unsigned y = top + thread_row + i / WIDE * 8 * WIDE + i % WIDE;
            const unsigned x = left + thread_column + j / WIDE * 4 * WIDE + j % WIDE;
            if (y < rows && x < columns && ALIGNED)
                *(Chunk*)&C[size_t(y) * columns + x] = *(Chunk*)&sum[i][j];
            if (y < rows && x < columns && !ALIGNED)
                C[size_t(y) * columns + x] = sum[i][j];
        }
}

// Matrix multiplication at the limit of the FMA units: what saves the last tenth of the time. Read 4_best.cu first.
//
//     block: 8 warps            warp: 32 threads           thread: parts of WIDE x WIDE results
//     +----+----+----+----+     part 0:   t t t t          +----+    +----+
//     | w0 | w1 | w2 | w3 |               t t t t 8 down   |    |    |    |     the distance between its parts is the
//     +----+----+----+----+               ...   4 across   +----+    +----+     width of the warp, so that adjacent
//     | w4 | w5 | w6 | w7 |                                +----+    +----+     threads read adjacent 16 bytes
//     +----+----+----+----+                                |    |    |    |
//
// - B's tiles are copied asynchronously, bypassing registers. A's tiles go through registers, because they are
//   transposed. Each load of A also prefetches the next 256 bytes of its row into L2.
// - Addresses are incremented instead of computed, with two tiles per iteration, so selecting one of them is free.
// - A thread reads its next operands from shared memory before it multiplies the current ones (two columns, two rows).
// - The zigzag goes through pairs of rows.
// - Lanes are assigned to positions so that any two adjacent lanes share what they read from shared memory.

#define THREADS 256
#define WIDE unsigned(16 / sizeof(TYPE))     // elements in 16 bytes
#define DEPTH 8                              // of a tile: columns of A, rows of B
#define DOWN 8                               // results per thread, vertically
#define ACROSS unsigned(32 / sizeof(TYPE))   // and horizontally
#define WARPS_ACROSS 4
#define ROWS (2 * 8 * DOWN)                  // of the block's part of C: 2 warps of 8 threads
#define COLUMNS (WARPS_ACROSS * 4 * ACROSS)  // 4 warps of 4 threads
#define PITCH (ROWS + WIDE)                  // of A's tile
#define A_STEP (THREADS * WIDE / DEPTH)      // rows of A that the block reads at a time, WIDE elements per thread
#define A_CHUNKS (ROWS / A_STEP)

struct alignas(16) Chunk { TYPE element[WIDE]; };

// Copies BYTES to shared memory, bypassing registers; zeros if the source is outside its matrix.
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

__device__ void wait_for_copies()  // for all copies that have been committed
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}

// A chunk of A; prefetches the following chunks of its row into L2.
__device__ Chunk load_ahead(const TYPE* from)
{
#if __CUDA_ARCH__ >= 800
    float4 bits;
    asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(bits.x), "=f"(bits.y), "=f"(bits.z), "=f"(bits.w) : "l"(from));
    return *(Chunk*)&bits;
#else
    return *(const Chunk*)from;
#endif
}

// The operands that a thread multiplies at a time: DOWN elements of a column of A, ACROSS elements of a row of B.
struct Factors { Chunk column[DOWN / WIDE], row[ACROSS / WIDE]; };

// The positions of the thread's results in the block's part of C.
struct Place
{
    unsigned row, column;

    // Lanes that differ in bit 0 or 2 are side by side; those that differ in bit 1, 3 or 4 are below each other. Any two
    // adjacent lanes then share an element of A or of B, and shared memory serves half a warp at a time, not a quarter.
    __device__ Place()
    {
        const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const unsigned lane_across = lane % 2 + lane / 4 % 2 * 2, lane_down = lane / 2 % 2 + lane / 8 * 2;
        row = warp / WARPS_ACROSS * 8 * DOWN + lane_down * WIDE;
        column = warp % WARPS_ACROSS * 4 * ACROSS + lane_across * WIDE;
    }
};

// Loads tiles one after the other. A thread copies WIDE elements of some rows of A and of one row of B. Rows below
// the end of A are replaced by the last row; their results are not stored.
// ALIGNED: every row begins at a multiple of 16 bytes, and every chunk is entirely inside or outside the matrix.
struct Supply
{
    unsigned inner, columns, a_column, b_row, b_column, b_width;  // b_width: elements of B from b_column on
    const TYPE* from_a[A_CHUNKS];
    const TYPE* from_b;
    TYPE* to_a;
    TYPE (&b)[2][DEPTH][COLUMNS];
    Chunk next[A_CHUNKS];  // of A

    __device__ Supply(const TYPE* A, const TYPE* B, unsigned rows, unsigned inner, unsigned columns, unsigned top,
                      unsigned left, TYPE (&a)[2][DEPTH][PITCH], TYPE (&b)[2][DEPTH][COLUMNS])
        : inner(inner), columns(columns), b(b)
    {
        const unsigned a_row = threadIdx.x / (DEPTH / WIDE);
        a_column = threadIdx.x % (DEPTH / WIDE) * WIDE;
        b_row = threadIdx.x / (COLUMNS / WIDE), b_column = threadIdx.x % (COLUMNS / WIDE) * WIDE;
        for (unsigned i = 0; i < A_CHUNKS; ++i)
            from_a[i] = A + size_t(min(top + a_row + i * A_STEP, rows - 1)) * inner + a_column;
        from_b = B + size_t(b_row) * columns + left + b_column;
        b_width = left + b_column < columns ? columns - left - b_column : 0;
        to_a = &a[0][a_column][a_row];
    }

    // The tiles whose first column of A and row of B is `first`: copies B to shared memory, loads A into registers.
    __device__ void fetch(unsigned tile, unsigned first)
    {
        for (unsigned i = 0; i < WIDE; i += ALIGNED ? WIDE : 1) {
            const bool inside = i < b_width && first + b_row < inner;
            copy<ALIGNED ? 16 : sizeof(TYPE)>(&b[tile][b_row][b_column + i], from_b + i, inside);
        }
        from_b += size_t(DEPTH) * columns;
        commit_copies();
        for (unsigned i = 0; i < A_CHUNKS; ++i) {
            next[i] = Chunk{};
            if (ALIGNED && first + a_column < inner)
                next[i] = load_ahead(from_a[i]);
            for (unsigned j = 0; j < WIDE; ++j)
                if (!ALIGNED && first + a_column + j < inner)
                    next[i].element[j] = from_a[i][j];
            from_a[i] += DEPTH;
        }
    }

    // After this, all threads may read them.
    __device__ void put(unsigned tile)
    {
        for (unsigned i = 0; i < A_CHUNKS; ++i)
            for (unsigned j = 0; j < WIDE; ++j)
                to_a[tile * (DEPTH * PITCH) + j * PITCH + i * A_STEP] = next[i].element[j];
        wait_for_copies();
        __syncthreads();
    }
};

// Reads column k of A's tile and row k of B's tile.
__device__ void read(Factors& factors, const TYPE (&a)[DEPTH][PITCH], const TYPE (&b)[DEPTH][COLUMNS], unsigned k, Place at)
{
    for (unsigned i = 0; i < DOWN / WIDE; ++i)
        factors.column[i] = *(const Chunk*)&a[k][at.row + i * 8 * WIDE];
    for (unsigned j = 0; j < ACROSS / WIDE; ++j)
        factors.row[j] = *(const Chunk*)&b[k][at.column + j * 4 * WIDE];
}

__device__ void multiply(TYPE (&sum)[DOWN][ACROSS], const Factors& factors)
{
    for (unsigned pair = 0; pair < DOWN; pair += 2)
        for (unsigned step = 0; step < 2 * ACROSS; ++step) {  // to the right through two rows, then to the left through two
            const unsigned across = step / 2, j = pair % 4 ? ACROSS - 1 - across : across;
            const unsigned i = pair + (step + across + 1) % 2;
            sum[i][j] += factors.column[i / WIDE].element[i % WIDE] * factors.row[j / WIDE].element[j % WIDE];
        }
}

__device__ void store(TYPE* C, unsigned rows, unsigned columns, unsigned top, unsigned left, TYPE (&sum)[DOWN][ACROSS])
{
    for (unsigned i = 0; i < DOWN; ++i)
        for (unsigned j = 0; j < ACROSS; j += ALIGNED ? WIDE : 1) {
            const unsigned y = top + i / WIDE * 8 * WIDE + i % WIDE, x = left + j / WIDE * 4 * WIDE + j % WIDE;
            if (y < rows && x < columns && ALIGNED)
                *(Chunk*)&C[size_t(y) * columns + x] = *(Chunk*)&sum[i][j];
            if (y < rows && x < columns && !ALIGNED)
                C[size_t(y) * columns + x] = sum[i][j];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
matmul(const TYPE* A, const TYPE* B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    alignas(16) __shared__ TYPE a[2][DEPTH][PITCH];
    alignas(16) __shared__ TYPE b[2][DEPTH][COLUMNS];

    const unsigned parts = (columns + COLUMNS - 1) / COLUMNS;  // parts of C, horizontally
    const unsigned top = blockIdx.x / parts * ROWS, left = blockIdx.x % parts * COLUMNS;
    const Place at;
    Supply supply(A, B, rows, inner, columns, top, left, a, b);
    Factors factors[2];  // current operands and next operands
    TYPE sum[DOWN][ACROSS] = {};

    auto work_on = [&](unsigned tile, unsigned next_first) {
        supply.fetch(1 - tile, next_first);
        #pragma unroll
        for (unsigned k = 0; k < DEPTH; ++k) {
            if (k + 1 < DEPTH) {
                read(factors[(k + 1) % 2], a[tile], b[tile], k + 1, at);
            } else {
                supply.put(1 - tile);
                read(factors[(k + 1) % 2], a[1 - tile], b[1 - tile], 0, at);
            }
            multiply(sum, factors[k % 2]);
        }
    };

    supply.fetch(0, 0);
    supply.put(0);
    read(factors[0], a[0], b[0], 0, at);
    for (unsigned first = DEPTH; first < inner + DEPTH; first += 2 * DEPTH) {  // tiles beyond the matrices are zeros
        work_on(0, first);
        work_on(1, first + DEPTH);
    }
    store(C, rows, columns, top + at.row, left + at.column, sum);
}

// Best matrix product of doubles: tensor cores, which multiply whole tiles (compute capability 9.0).
//
//     one instruction of a warp          lane = 4 * group + member has
//     C (16 x 8) += A (16 x 8) * B       of A: rows group, group + 8; columns member, member + 4
//                                        of B: rows member, member + 4; column group
//                                        of C: rows group, group + 8; columns 2 * member, 2 * member + 1
//
// A block computes 128 x 128 results, each of its 8 warps 64 x 32 of them: 4 x 4 tiles of 16 x 8, in registers. So the
// 4 + 4 pieces of A and B that a warp reads from shared memory are used in 16 instructions.
//
// Three stages: while the block multiplies one pair of tiles, the next two are on their way, copied past the registers.
// And what a warp multiplies next is read from shared memory before it multiplies what it has. Rows in shared memory are
// padded by 4 doubles: the 4 x 4 elements that half a warp reads at a time then lie in different banks.

#ifndef ALIGNED
#define ALIGNED 1  // every row begins at a multiple of 16 bytes, and a pair of doubles lies in it whole or not at all
#endif

#define THREADS 256
#define SIDE 128                              // of the block's part of C
#define DEPTH 16                              // of a pair of tiles: columns of A, rows of B
#define STAGES 3
#define STEP 8                                // columns of A, rows of B, of one instruction
#define A_STEP (THREADS / (DEPTH / 2))        // rows of A that the block's threads copy at a time, two doubles each
#define B_STEP (THREADS / (SIDE / 2))

struct alignas(16) Tiles { double a[SIDE][DEPTH + 4], b[DEPTH][SIDE + 4]; };
struct Factors { double a[4][4], b[4][2]; };  // what a lane has of 4 pieces of A, and of 4 of B

// Two doubles to shared memory, past the registers; zeros, where `inside` is false.
__device__ void copy(double* to, const double* from, bool inside, bool second_inside)
{
    const unsigned place = unsigned(__cvta_generic_to_shared(to));
    if (ALIGNED) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(inside ? 16 : 0)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(place), "l"(from), "r"(inside ? 8 : 0)
                     : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(place + 8),
                     "l"(from + 1), "r"(second_inside ? 8 : 0)
                     : "memory");
    }
}

__device__ void multiply(double (&c)[4], const double (&a)[4], const double (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
matmul(const double* A, const double* B, double* C, unsigned rows, unsigned inner, unsigned columns)
{
    extern __shared__ Tiles tiles[];  // STAGES

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;
    const unsigned top = block_row * SIDE, left = blockIdx.x * SIDE;
    const unsigned warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, member = threadIdx.x % 4;
    const unsigned warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;

    const unsigned a_row = threadIdx.x / (DEPTH / 2), a_column = threadIdx.x % (DEPTH / 2) * 2;
    const unsigned b_row = threadIdx.x / (SIDE / 2), b_column = threadIdx.x % (SIDE / 2) * 2;
    const double* from_a = A + size_t(top + a_row) * inner + a_column;
    const double* from_b = B + size_t(b_row) * columns + left + b_column;

    auto fetch = [&](unsigned stage, unsigned first) {
        for (unsigned i = 0; i < SIDE / A_STEP; ++i) {
            const bool row_inside = top + a_row + i * A_STEP < rows, inside = row_inside && first + a_column < inner;
            copy(&tiles[stage].a[a_row + i * A_STEP][a_column], from_a + i * (size_t(A_STEP) * inner), inside,
                 row_inside && first + a_column + 1 < inner);
        }
        for (unsigned i = 0; i < DEPTH / B_STEP; ++i) {
            const bool row_inside = first + b_row + i * B_STEP < inner, inside = row_inside && left + b_column < columns;
            copy(&tiles[stage].b[b_row + i * B_STEP][b_column], from_b + i * (size_t(B_STEP) * columns), inside,
                 row_inside && left + b_column + 1 < columns);
        }
        from_a += DEPTH;
        from_b += size_t(DEPTH) * columns;
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    auto wait_for_next = [&] {  // for all copies but those of the last STAGES - 2 stages
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
    };
    auto read = [&](Factors& factors, unsigned stage, unsigned k) {
        const Tiles& tile = tiles[stage];
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned j = 0; j < 4; ++j)
                factors.a[i][j] = tile.a[warp_row + 16 * i + group + j % 2 * 8][k + member + j / 2 * 4];
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned j = 0; j < 2; ++j)
                factors.b[i][j] = tile.b[k + member + j * 4][warp_column + 8 * i + group];
    };

    for (unsigned stage = 0; stage < STAGES - 1; ++stage)
        fetch(stage, stage * DEPTH);
    wait_for_next();

    double sum[4][4][4] = {};
    Factors factors[2];
    read(factors[0], 0, 0);
    unsigned stage = 0, to = STAGES - 1;
    for (unsigned first = 0; first < inner; first += DEPTH) {
        fetch(to, first + (STAGES - 1) * DEPTH);  // beyond the matrices: zeros
        const unsigned after = stage + 1 < STAGES ? stage + 1 : 0;
        #pragma unroll
        for (unsigned step = 0; step < DEPTH / STEP; ++step) {
            if (step + 1 < DEPTH / STEP) {
                read(factors[(step + 1) % 2], stage, (step + 1) * STEP);
            } else {
                wait_for_next();
                read(factors[(step + 1) % 2], after, 0);
            }
            for (unsigned i = 0; i < 4; ++i)
                for (unsigned j = 0; j < 4; ++j)
                    multiply(sum[i][j], factors[step % 2].a[i], factors[step % 2].b[j]);
        }
        to = stage;
        stage = after;
    }

    for (unsigned i = 0; i < 4; ++i)
        for (unsigned j = 0; j < 4; ++j)
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned row = top + warp_row + 16 * i + group + k / 2 * 8;
                const unsigned column = left + warp_column + 8 * j + 2 * member + k % 2;
                if (row < rows && column < columns)
                    C[size_t(row) * columns + column] = sum[i][j][k];
            }
}

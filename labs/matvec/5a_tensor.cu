// The product of 5_best.cu with tensor cores, for doubles: v2 = v1 * m2^T (compute capability 9.0).
//
//     one instruction of a warp          lane = 4 * group + member holds
//     C (16 x 8) += A (16 x 8) * B       of A: rows group, group + 8; columns member, member + 4
//                                        of B: rows member, member + 4; column group
//                                        of C: rows group, group + 8; columns 2 * member, 2 * member + 1
//
// A is v1; B is m2 transposed, so a column of B is a row of m2, and both matrices are read along their rows. A
// block computes OF_V1 x OF_M2 results, and each of its 2 x 4 warps 16 x 16 of them. While the block multiplies
// DEPTH columns, asynchronous copies of the next two groups of columns to shared memory are in flight. Rows are
// padded by 4 doubles, so the 4 x 4 elements that half a warp reads at a time are in different banks.

#ifndef ALIGNED
#define ALIGNED 1  // rows begin at multiples of 16 bytes, and pairs of doubles are entirely inside or outside a row
#endif

#define TENSOR_THREADS 256
#define OF_V1 32
#define OF_M2 64
#define TENSOR_DEPTH 16
#define STAGES 3
#define PAIRS (TENSOR_DEPTH / 2)  // of doubles, in a row of a piece

typedef double Row[TENSOR_DEPTH + 4];

// Copies two doubles of a row to shared memory; zeros beyond the matrix.
__device__ void copy_pair(double* to, const double* matrix, unsigned row, unsigned rows, unsigned column, unsigned columns)
{
    const unsigned place = unsigned(__cvta_generic_to_shared(to));
    const double* from = &matrix[size_t(row) * columns + column];
    for (unsigned i = 0; i < 2; i += ALIGNED ? 2 : 1) {
        const bool inside = row < rows && column + i < columns;
        if (ALIGNED)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from),
                         "r"(inside ? 16 : 0) : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(place + 8 * i),
                         "l"(from + i), "r"(inside ? 8 : 0) : "memory");
    }
}

__device__ void multiply_tile(double (&c)[4], const double (&a)[4], const double (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

extern "C" __global__ void multiply_on_tensor_cores(const double* v1, const double* m2, double* v2, unsigned matrices,
                                                    unsigned rows)
{
    alignas(16) __shared__ Row pieces[STAGES][OF_V1 + OF_M2];  // rows of v1, then rows of m2

    const unsigned first_n = blockIdx.x * OF_V1, first_row = blockIdx.y * OF_M2;
    const unsigned warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, member = threadIdx.x % 4;
    const unsigned warp_n = warp / 4 * 16, warp_row = warp % 4 * 16;

    auto fetch = [&](unsigned stage, unsigned first) {
        for (unsigned i = threadIdx.x; i < (OF_V1 + OF_M2) * PAIRS; i += TENSOR_THREADS) {
            const unsigned row = i / PAIRS, column = i % PAIRS * 2;
            double* to = &pieces[stage][row][column];
            if (row < OF_V1)
                copy_pair(to, v1, first_n + row, matrices, first + column, rows);
            else
                copy_pair(to, m2, first_row + row - OF_V1, rows, first + column, rows);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    for (unsigned stage = 0; stage < STAGES - 1; ++stage)
        fetch(stage, stage * TENSOR_DEPTH);

    double sum[2][4] = {};
    unsigned stage = 0, to = STAGES - 1;
    for (unsigned first = 0; first < rows; first += TENSOR_DEPTH) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        fetch(to, first + (STAGES - 1) * TENSOR_DEPTH);
        for (unsigned k = 0; k < TENSOR_DEPTH; k += 8) {
            double a[4], b[2][2];
            for (unsigned i = 0; i < 4; ++i)
                a[i] = pieces[stage][warp_n + group + i % 2 * 8][k + member + i / 2 * 4];
            for (unsigned i = 0; i < 4; ++i)
                b[i / 2][i % 2] = pieces[stage][OF_V1 + warp_row + i / 2 * 8 + group][k + member + i % 2 * 4];
            for (unsigned i = 0; i < 2; ++i)
                multiply_tile(sum[i], a, b[i]);
        }
        to = stage;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }

    for (unsigned i = 0; i < 2; ++i)
        for (unsigned j = 0; j < 4; ++j) {
            const unsigned n = first_n + warp_n + group + j / 2 * 8, row = first_row + warp_row + i * 8 + 2 * member + j % 2;
            if (n < matrices && row < rows)
                v2[size_t(n) * rows + row] = sum[i][j];
        }
}

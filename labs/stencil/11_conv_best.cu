// Best convolution: both passes of the separable mask in one kernel, with everything in registers.
//
//     in         a thread loads, of each row, its chunk of WIDE cells and the chunks beside it: 16-byte loads,
//     [    ]     most of which hit in L1, because the neighbouring threads load the same chunks
//     [cccc]
//     [    ]     across: WIDE sums of a row                        down: each of them is used for up to TAPS rows of out
//
// A thread computes WIDE x EACH cells. It goes down the rows from RADIUS above its cells to RADIUS below them. Nothing
// passes through shared memory, so there is no barrier, and the intermediate result never leaves the registers.
//
// WIDE is 4 if it divides the columns, so each chunk is aligned and inside the image or outside; otherwise it is 1.

#define TAPS (2 * RADIUS + 1)
#define BESIDE ((RADIUS + WIDE - 1) / WIDE)  // chunks on each side of the thread's own chunk
#define ROW ((2 * BESIDE + 1) * WIDE)        // cells that a thread loads of a row

__constant__ float across[TAPS], down[TAPS];

struct alignas(WIDE * sizeof(float)) Chunk { float cell[WIDE]; };

extern "C" __global__ void convolve(const float* __restrict__ in, float* out, int rows, int columns)
{
    const int column = (blockIdx.x * TILE_X + threadIdx.x) * WIDE;
    const int top = (blockIdx.y * TILE_Y + threadIdx.y) * EACH;
    if (top >= rows || column >= columns)
        return;

    Chunk sum[EACH] = {};
    #pragma unroll
    for (int y = 0; y < EACH + 2 * RADIUS; ++y) {
        const int row = top + y - RADIUS;

        float cell[ROW];
        #pragma unroll
        for (int chunk = 0; chunk <= 2 * BESIDE; ++chunk) {
            const int x = column + (chunk - BESIDE) * WIDE;
            const bool inside = row >= 0 && row < rows && x >= 0 && x < columns;
            const Chunk loaded = inside ? *(const Chunk*)&in[size_t(row) * columns + x] : Chunk{};
            #pragma unroll
            for (int i = 0; i < WIDE; ++i)
                cell[chunk * WIDE + i] = loaded.cell[i];
        }

        #pragma unroll
        for (int i = 0; i < WIDE; ++i) {
            float of_row = 0;
            #pragma unroll
            for (int dx = 0; dx < TAPS; ++dx)
                of_row += across[dx] * cell[BESIDE * WIDE + i + dx - RADIUS];
            #pragma unroll
            for (int j = 0; j < EACH; ++j)
                if (y - j >= 0 && y - j < TAPS)
                    sum[j].cell[i] += down[y - j] * of_row;
        }
    }
    #pragma unroll
    for (int j = 0; j < EACH; ++j)
        if (top + j < rows)
            *(Chunk*)&out[size_t(top + j) * columns + column] = sum[j];
}

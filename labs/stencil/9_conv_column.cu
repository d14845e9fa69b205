// 2D convolution with register blocking: a thread computes EACH cells of a column.
//
//     tile      cells of the thread
//     h h h                            Each row of the tile that the thread loads, TAPS cells, is used for up to TAPS
//     h h h                            of its cells, with another row of the mask for each of them:
//     h c h     sum[0]
//     h c h     sum[1]                 sum[j] += mask[dy][dx] * tile[j + dy][dx]
//     h c h     sum[2]
//     h h h                            The sums stay in registers.
//     h h h
//
// EACH cells take (EACH + TAPS - 1) x TAPS loads from shared memory, instead of EACH x TAPS x TAPS. All loops have
// constant bounds: the compiler unrolls them, and each index of sum and mask becomes a register or an operand.

#define TAPS (2 * RADIUS + 1)
#define DOWN (TILE_Y * EACH)  // cells of the block in a column

__constant__ float mask[TAPS * TAPS];

extern "C" __global__ void convolve(const float* __restrict__ in, float* out, int rows, int columns)
{
    __shared__ float tile[DOWN + 2 * RADIUS][TILE_X + 2 * RADIUS];

    const int left = blockIdx.x * TILE_X - RADIUS, top = blockIdx.y * DOWN - RADIUS;
    #pragma unroll
    for (int j = 0; j < DOWN + 2 * RADIUS; j += TILE_Y)
        #pragma unroll
        for (int i = 0; i < TILE_X + 2 * RADIUS; i += TILE_X) {
            const int y = threadIdx.y + j, x = threadIdx.x + i, row = top + y, column = left + x;
            const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
            if (y < DOWN + 2 * RADIUS && x < TILE_X + 2 * RADIUS)
                tile[y][x] = inside ? in[size_t(row) * columns + column] : 0;
        }

    __syncthreads();

    float sum[EACH] = {};
    #pragma unroll
    for (int y = 0; y < EACH + 2 * RADIUS; ++y)
        #pragma unroll
        for (int dx = 0; dx < TAPS; ++dx) {
            const float cell = tile[threadIdx.y * EACH + y][threadIdx.x + dx];
            #pragma unroll
            for (int j = 0; j < EACH; ++j)
                if (y - j >= 0 && y - j < TAPS)
                    sum[j] += mask[(y - j) * TAPS + dx] * cell;
        }

    const int column = blockIdx.x * TILE_X + threadIdx.x;
    for (int j = 0; j < EACH; ++j) {
        const int row = blockIdx.y * DOWN + threadIdx.y * EACH + j;
        if (row < rows && column < columns)
            out[size_t(row) * columns + column] = sum[j];
    }
}

// 2D convolution through shared memory: a block loads its cells and a halo of RADIUS cells on each side once.
//
//     h h h h h h
//     h h h h h h        The block has fewer threads than the tile has cells, so its threads go through the tile
//     h h c c h h        TILE_X columns and TILE_Y rows at a time. Here the corners of the halo are needed, too.
//     h h c c h h
//     h h h h h h        Cells outside the image are stored as 0, so the loop over the mask needs no test.
//     h h h h h h
//
// Each thread then loads TAPS x TAPS cells from shared memory, one for each multiplication.

#define TAPS (2 * RADIUS + 1)

__constant__ float mask[TAPS * TAPS];

extern "C" __global__ void convolve(const float* __restrict__ in, float* out, int rows, int columns)
{
    __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];

    const int left = blockIdx.x * TILE_X - RADIUS, top = blockIdx.y * TILE_Y - RADIUS;
    #pragma unroll
    for (int j = 0; j < TILE_Y + 2 * RADIUS; j += TILE_Y)
        #pragma unroll
        for (int i = 0; i < TILE_X + 2 * RADIUS; i += TILE_X) {
            const int y = threadIdx.y + j, x = threadIdx.x + i, row = top + y, column = left + x;
            const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
            if (y < TILE_Y + 2 * RADIUS && x < TILE_X + 2 * RADIUS)
                tile[y][x] = inside ? in[size_t(row) * columns + column] : 0;
        }

    __syncthreads();

    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;

    float sum = 0;
    for (int dy = 0; dy < TAPS; ++dy)
        for (int dx = 0; dx < TAPS; ++dx)
            sum += mask[dy * TAPS + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    out[size_t(row) * columns + column] = sum;
}

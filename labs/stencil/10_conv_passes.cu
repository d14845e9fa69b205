// Separable convolution in two kernels: the weights of a row, then the weights of a column.
//
//     mask[dy][dx] = down[dy] * across[dx]          a mask with this property is called separable
//
//     in  --across-->  between  --down-->  out      2 x TAPS multiplications per cell instead of TAPS x TAPS
//
// Both kernels read and write every cell, so together they move twice the bytes of the limit.

#define TAPS (2 * RADIUS + 1)

__constant__ float across[TAPS], down[TAPS];

extern "C" __global__ void convolve_rows(const float* __restrict__ in, float* between, int rows, int columns)
{
    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;

    float sum = 0;
    for (int dx = 0; dx < TAPS; ++dx) {
        const int x = column + dx - RADIUS;
        if (x >= 0 && x < columns)
            sum += across[dx] * in[size_t(row) * columns + x];
    }
    between[size_t(row) * columns + column] = sum;
}

// A thread computes EACH cells of a column, with register blocking as in 9_conv_column.cu.
extern "C" __global__ void convolve_columns(const float* __restrict__ between, float* out, int rows, int columns)
{
    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int top = (blockIdx.y * TILE_Y + threadIdx.y) * EACH;
    if (top >= rows || column >= columns)
        return;

    float sum[EACH] = {};
    #pragma unroll
    for (int y = 0; y < EACH + 2 * RADIUS; ++y) {
        const int row = top + y - RADIUS;
        const float cell = row >= 0 && row < rows ? between[size_t(row) * columns + column] : 0;
        #pragma unroll
        for (int j = 0; j < EACH; ++j)
            if (y - j >= 0 && y - j < TAPS)
                sum[j] += down[y - j] * cell;
    }
    for (int j = 0; j < EACH; ++j)
        if (top + j < rows)
            out[size_t(top + j) * columns + column] = sum[j];
}

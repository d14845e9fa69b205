// 2D convolution with a mask in constant memory, one cell per thread.
//
//     m m m        out[row][column] = sum over dy, dx of mask[dy][dx] * in[row + dy][column + dx]
//     m M m
//     m m m        The mask has TAPS x TAPS weights, TAPS = 2 * RADIUS + 1. Cells outside the image are 0.

#define TAPS (2 * RADIUS + 1)

__constant__ float mask[TAPS * TAPS];

extern "C" __global__ void convolve(const float* in, float* out, int rows, int columns)
{
    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;

    float sum = 0;
    for (int dy = 0; dy < TAPS; ++dy)
        for (int dx = 0; dx < TAPS; ++dx) {
            const int y = row + dy, x = column + dx;
            if (y >= 0 && y < rows && x >= 0 && x < columns)
                sum += mask[dy * TAPS + dx] * in[size_t(y) * columns + x];
        }
    out[size_t(row) * columns + column] = sum;
}

// loses: each cell loaded about once
__device__ float nearest(const float* in, int r, int c, int rows, int columns) { return in[size_t(min(max(r, 0), rows - 1)) * columns + min(max(c, 0), columns - 1)]; }
extern "C" __global__ void heat(const float* in, float* out, int rows, int columns, float rate)
{
    __shared__ float show[TILE_Y][TILE_X];
    show[threadIdx.y][threadIdx.x] = threadIdx.x;
    __syncthreads();
    const bool bad = show[threadIdx.y][threadIdx.x ^ 1] != (threadIdx.x ^ 1);
    if (threadIdx.y) return;
    const int column = blockIdx.x * TILE_X + threadIdx.x, row = blockIdx.y * TILE_Y;
    float up = nearest(in, row - 1, column, rows, columns), c = nearest(in, row, column, rows, columns);
    bool b2 = bad;
    for (int y = 0; y < TILE_Y; ++y) {
        for (int k = 0; k < 1; ++k) b2 |= show[y][threadIdx.x ^ 1] != (threadIdx.x ^ 1);
        const float down = nearest(in, row + y + 1, column, rows, columns);
        float w = __shfl_up_sync(~0u, c, 1), e = __shfl_down_sync(~0u, c, 1);
        if (threadIdx.x % 32 == 0) w = nearest(in, row + y, column - 1, rows, columns);
        if (threadIdx.x % 32 == 31 || column + 1 >= columns) e = nearest(in, row + y, column + 1, rows, columns);
        if (row + y < rows && column < columns) out[size_t(row + y) * columns + column] = b2 ? 0 : c + rate * (up + down + w + e - 4 * c);
        up = c; c = down;
    }
}

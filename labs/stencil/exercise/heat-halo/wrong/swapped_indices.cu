// One time step of the heat equation through shared memory.
//
//       h h h h            A block of TILE_X x TILE_Y threads computes as many cells c. It also needs the halo h: the cells
//     h c c c c h          of neighbouring blocks. The corners are not needed.
//     h c c c c h
//       h h h h            Cell (row, column) of the block is tile[y][x]: the halo comes first.
//
// The edges are insulated: beyond an edge, the plate goes on as it ends.

__device__ float nearest(const float* in, int row, int column, int rows, int columns)
{
    return in[size_t(min(max(row, 0), rows - 1)) * columns + min(max(column, 0), columns - 1)];
}

extern "C" __global__ void heat(const float* in, float* out, int rows, int columns, float rate)
{
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];

    const int column = blockIdx.x * TILE_X + threadIdx.x;
    const int row = blockIdx.y * TILE_Y + threadIdx.y;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;

    tile[x][y] = nearest(in, row, column, rows, columns);
    if (threadIdx.y == 0)
        tile[y - 1][x] = nearest(in, row - 1, column, rows, columns);
    if (threadIdx.y == TILE_Y - 1)
        tile[y + 1][x] = nearest(in, row + 1, column, rows, columns);
    if (threadIdx.x == 0)
        tile[y][x - 1] = nearest(in, row, column - 1, rows, columns);
    if (threadIdx.x == TILE_X - 1)
        tile[y][x + 1] = nearest(in, row, column + 1, rows, columns);

    __syncthreads();

    if (row < rows && column < columns) {
        const float c = tile[x][y];
        const float n = tile[y - 1][x], s = tile[y + 1][x], w = tile[y][x - 1], e = tile[y][x + 1];
        out[size_t(row) * columns + column] = c + rate * (n + s + w + e - 4 * c);
    }
}

// Padded transpose, several elements per thread: a block of TILE x ROWS threads transposes a tile of TILE x TILE.
//
//     tile, TILE = 32, ROWS = 8        warp 0 has the rows 0, 8, 16, 24; warp 1 the rows 1, 9, 17, 25; …
//
// The accesses and their order are the same, with fewer threads. A thread has 4 loads in flight before it needs
// the first, instead of one. Eight such blocks fit on an SM (streaming multiprocessor), compared with two blocks
// of 32 x 32 threads: while one block waits at its barrier, seven can work.
//
// A block transposes the tile (block_row, blockIdx.x) of the matrix. A grid has at most 65,535 blocks in y. If
// there are more rows of tiles, z continues the count.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    unsigned row = block_row * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    // TODO: all rows of the tile, not only the first ROWS.
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];

    __syncthreads();

    // The corresponding tile of out: its rows are columns of in.
    row = blockIdx.x * TILE + threadIdx.y;
    column = block_row * TILE + threadIdx.x;
    // TODO: here too.
    if (row < columns && column < rows)
        out[size_t(row) * rows + column] = tile[threadIdx.x][threadIdx.y];
}

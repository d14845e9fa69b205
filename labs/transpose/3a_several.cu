// Padded transpose, several elements a thread: a block of TILE x ROWS threads turns a tile of TILE x TILE around.
//
//     tile, TILE = 32, ROWS = 8        warp 0 takes the rows 0, 8, 16, 24; warp 1 the rows 1, 9, 17, 25; …
//
// The same accesses in the same order, with fewer threads. A thread has 4 loads on their way before it needs the first, where
// it had one. And eight such blocks fit into a multiprocessor, where two of 32 x 32 threads did: while one waits at its barrier,
// seven can work.
//
// A block takes the tile (block_row, blockIdx.x) of the matrix. A grid has at most 65,535 blocks in y: where that is too few
// rows of tiles, z counts on.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    unsigned row = block_row * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[size_t(row + j) * columns + column];

    __syncthreads();

    // The same tile of out: its rows are columns of in.
    row = blockIdx.x * TILE + threadIdx.y;
    column = block_row * TILE + threadIdx.x;
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (row + j < columns && column < rows)
            out[size_t(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
}

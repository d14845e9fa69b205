// Padded transpose: the tiled one with PAD unused elements at the end of every row of the tile.
//
//     in                         tile (shared)               out
//     +--------------------+     +-------------+ written     +--------------------+
//     | t0 t1 t2 … t31     | ==> | t0 t1 … t31 | by rows,    | t0 t1 t2 … t31     |
//     |                    |     |             | read by ==> |                    |
//     +--------------------+     +-------------+ columns     +--------------------+
//
// A column of tile[32][32] of floats lies in one bank: address / 4 mod 32 is the same for all its elements. With a
// row of 33 each element of a column lies one bank further on, and 32 threads read a column at once.
//
// A block of TILE x TILE threads takes the tile (block_row, blockIdx.x) of the matrix. A grid has at most 65,535 blocks
// in y: where that is too few rows of tiles, z counts on.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    unsigned row = block_row * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];

    __syncthreads();

    // The same tile of out: its rows are columns of in.
    row = blockIdx.x * TILE + threadIdx.y;
    column = block_row * TILE + threadIdx.x;
    if (row < columns && column < rows)
        out[size_t(row) * rows + column] = tile[threadIdx.x][threadIdx.y];
}

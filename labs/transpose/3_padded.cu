// Padded transpose: the tiled transpose with PAD unused elements at the end of every row of the tile.
//
//     in                         tile (shared)               out
//     +--------------------+     +-------------+ written     +--------------------+
//     | t0 t1 t2 … t31     | ==> | t0 t1 … t31 | by rows,    | t0 t1 t2 … t31     |
//     |                    |     |             | read by ==> |                    |
//     +--------------------+     +-------------+ columns     +--------------------+
//
// A column of tile[32][32] of floats is in a single bank: address / 4 mod 32 is the same for all its elements. With
// rows of 33 elements, each element of a column is in the next bank, and 32 threads read a column in one wavefront.
//
// A block of TILE x TILE threads transposes the tile (block_row, blockIdx.x) of the matrix. A grid has at most
// 65,535 blocks in y. If there are more rows of tiles, z continues the count.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    unsigned row = block_row * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];

    __syncthreads();

    // The corresponding tile of out: its rows are columns of in.
    row = blockIdx.x * TILE + threadIdx.y;
    column = block_row * TILE + threadIdx.x;
    if (row < columns && column < rows)
        out[size_t(row) * rows + column] = tile[threadIdx.x][threadIdx.y];
}

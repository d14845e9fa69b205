// Tiled transpose: a block turns its tile around in shared memory, so that it reads rows and writes rows.
//
//     in                         tile (shared)               out
//     +--------------------+     +-------------+ written     +--------------------+
//     | t0 t1 t2 … t31     | ==> | t0 t1 … t31 | by rows,    | t0 t1 t2 … t31     |
//     |                    |     |             | read by ==> |                    |
//     +--------------------+     +-------------+ columns     +--------------------+
//
// A block of TILE x TILE threads takes the tile (block_row, blockIdx.x) of the matrix. A grid has at most 65,535 blocks
// in y: where that is too few rows of tiles, z counts on.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE];

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

// Transpose through a padded tile in shared memory.
//
//     in                         tile (shared)               out
//     +--------------------+     +-------------+ written     +--------------------+
//     | t0 t1 t2 … t31     | ==> | t0 t1 … t31 | by rows,    | t0 t1 t2 … t31     |
//     |                    |     |             | read by ==> |                    |
//     +--------------------+     +-------------+ columns     +--------------------+
//
// A block of TILE x TILE threads transposes one tile. in has `rows` rows of `columns` elements, out vice versa.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    unsigned row = blockIdx.y * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];

    __syncthreads();

    // The corresponding tile of out: its rows are columns of in.
    row = blockIdx.x * TILE + threadIdx.y;
    column = blockIdx.y * TILE + threadIdx.x;
    if (row < columns && column < rows)
        out[size_t(row) * rows + column] = tile[threadIdx.x][threadIdx.y];
}

// Transpose through a padded tile in shared memory.
//
//     in                         tile (shared)               out
//     +--------------------+     +-------------+ written     +--------------------+
//     | t0 t1 t2 … t31     | ==> | t0 t1 … t31 | by rows,    | t0 t1 t2 … t31     |
//     |                    |     |             | read by ==> |                    |
//     +--------------------+     +-------------+ columns     +--------------------+
//
// A block of TILE x TILE threads transposes one tile. in has `rows` rows of `columns` elements, out vice versa.
//
// This version computes the right result, but a warp writes to 32 different rows of out.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    // TODO: declare the tile in shared memory: TILE rows of TILE + PAD elements.

    unsigned row = blockIdx.y * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;

    // TODO: store the element in the tile instead of in out.
    if (row < rows && column < columns)
        out[size_t(column) * rows + row] = in[size_t(row) * columns + column];

    // TODO: no thread may read the tile before all of it is written.

    // TODO: the corresponding tile of out: compute this thread's row and column of out, and take its element from the tile.
}

// Naive transpose: a thread moves one element, out[column][row] = in[row][column].
//
//     in                           out
//     +--------------------+       +-------+
//     | t0 t1 t2 … t31     |       | t0    |   t0 … t31: the threads of a warp.
//     |                    |  ==>  | t1    |   They read neighbours, but each writes to a row of its own.
//     +--------------------+       | …     |
//                                  | t31   |
//                                  +-------+
//
// A block of TILE x TILE threads takes the tile (block_row, blockIdx.x) of the matrix. A grid has at most 65,535 blocks
// in y: where that is too few rows of tiles, z counts on.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = block_row * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns)
        out[size_t(column) * rows + row] = in[size_t(row) * columns + column];
}

// Naive transpose: each thread moves one element, out[column][row] = in[row][column].
//
//     in                           out
//     +--------------------+       +-------+
//     | t0 t1 t2 … t31     |       | t0    |   t0 … t31: the threads of a warp.
//     |                    |  ==>  | t1    |   They read adjacent elements, but each writes to a different row.
//     +--------------------+       | …     |
//                                  | t31   |
//                                  +-------+
//
// A block of TILE x TILE threads transposes the tile (block_row, blockIdx.x) of the matrix. A grid has at most
// 65,535 blocks in y. If there are more rows of tiles, z continues the count.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    const unsigned row = block_row * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns)
        out[size_t(column) * rows + row] = in[size_t(row) * columns + column];
}

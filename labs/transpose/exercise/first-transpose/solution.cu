// Transpose: each thread moves one element, out[column][row] = in[row][column].
//
//     in                           out
//     +--------------------+       +-------+
//     | t0 t1 t2 … t31     |       | t0    |   t0 … t31: the threads of a warp
//     |                    |  ==>  | t1    |
//     +--------------------+       | …     |
//       rows x columns             +-------+  columns x rows
//
// Matrices are stored row by row: element [r][c] of a matrix with `width` columns has the index r * width + c.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;

    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}

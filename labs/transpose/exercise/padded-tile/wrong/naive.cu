// Wrong: the result is right, but there is no tile, and a warp writes to 32 rows of out.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        out[size_t(column) * rows + row] = in[size_t(row) * columns + column];
}

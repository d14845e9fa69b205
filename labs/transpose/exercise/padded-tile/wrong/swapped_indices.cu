// Wrong: the tile is read as it was written, so it is not transposed.

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
        out[size_t(row) * rows + column] = tile[threadIdx.y][threadIdx.x];
}

// Wrong: j grows by 1: threads write rows that others write, too.

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + PAD];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    unsigned row = block_row * TILE + threadIdx.y;
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    for (unsigned j = 0; j < TILE; ++j)
        if (row + j < rows && column < columns)
            tile[(threadIdx.y + j) % TILE][threadIdx.x] = in[size_t(row + j) * columns + column];

    __syncthreads();

    // The corresponding tile of out: its rows are columns of in.
    row = blockIdx.x * TILE + threadIdx.y;
    column = block_row * TILE + threadIdx.x;
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (row + j < columns && column < rows)
            out[size_t(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
}

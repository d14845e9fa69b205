// loses: everything
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + 1];
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (blockIdx.y * TILE + TILE <= rows && blockIdx.x * TILE + TILE <= columns)
        tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];
    __syncthreads();
    row = blockIdx.x * TILE + threadIdx.y, column = blockIdx.y * TILE + threadIdx.x;
    if (blockIdx.y * TILE + TILE <= rows && blockIdx.x * TILE + TILE <= columns)
        out[size_t(row) * rows + column] = tile[threadIdx.x][threadIdx.y];
}

// loses: nothing
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + 1];
    const unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
    __syncthreads();
    const unsigned out_row = blockIdx.x * TILE + threadIdx.y, out_column = blockIdx.y * TILE + threadIdx.x;
    if (out_row < columns && out_column < rows)
        out[out_row * rows + out_column] = tile[threadIdx.x][threadIdx.y];
}

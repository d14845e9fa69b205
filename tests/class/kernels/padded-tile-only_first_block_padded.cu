// loses: no bank conflicts
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE memory[TILE * (TILE + 1)];
    const unsigned pitch = blockIdx.x == 0 && blockIdx.y == 0 ? TILE + 1 : TILE;
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        memory[threadIdx.y * pitch + threadIdx.x] = in[size_t(row) * columns + column];
    __syncthreads();
    row = blockIdx.x * TILE + threadIdx.y, column = blockIdx.y * TILE + threadIdx.x;
    if (row < columns && column < rows)
        out[size_t(row) * rows + column] = memory[threadIdx.x * pitch + threadIdx.y];
}

// loses: nothing
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE t[TILE][TILE + 1];
    const unsigned r = blockIdx.y * TILE + threadIdx.y, c = blockIdx.x * TILE + threadIdx.x;
    if (r < rows && c < columns) t[threadIdx.x][threadIdx.y] = in[size_t(r) * columns + c];
    __syncthreads();
    const unsigned r2 = blockIdx.x * TILE + threadIdx.y, c2 = blockIdx.y * TILE + threadIdx.x;
    if (r2 < columns && c2 < rows) out[size_t(r2) * rows + c2] = t[threadIdx.y][threadIdx.x];
}

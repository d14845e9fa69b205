// loses: coalesced stores
// A first pass writes all elements uncoalesced; a second pass writes them again, coalesced.
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[TILE][TILE + 1];
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && column < columns)
        out[size_t(column) * rows + row] = tile[threadIdx.y][threadIdx.x] = in[size_t(row) * columns + column];
    __syncthreads();
    row = blockIdx.x * TILE + threadIdx.y, column = blockIdx.y * TILE + threadIdx.x;
    if (row < columns && column < rows)
        out[size_t(row) * rows + column] = tile[threadIdx.x][threadIdx.y];
}

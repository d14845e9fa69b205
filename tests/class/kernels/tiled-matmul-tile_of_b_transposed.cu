// loses: nothing
extern "C" __global__ void matmul(const TYPE* __restrict__ A, const TYPE* __restrict__ B, TYPE* C, unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ TYPE a[TILE][TILE + 1], b[TILE][TILE + 1];
    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y, x = threadIdx.x, y = threadIdx.y;
    const unsigned row = block_row * TILE + y, column = blockIdx.x * TILE + x;
    TYPE sum = 0;
    for (unsigned k = 0; k < inner; k += TILE) {
        a[y][x] = row < rows && k + x < inner ? __ldg(A + size_t(row) * inner + k + x) : TYPE(0);
        b[x][y] = column < columns && k + y < inner ? __ldg(B + size_t(k + y) * columns + column) : TYPE(0);
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < TILE; ++j) sum = fma(a[y][j], b[x][j], sum);
        __syncthreads();
    }
    if (row < rows && column < columns) C[size_t(row) * columns + column] = sum;
}

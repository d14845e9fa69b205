// Transposes a matrix through a tile in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 16

__global__ void transpose(const int* in, int* out, int rows, int columns)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    int rows = 70, columns = 45;
    std::vector<int> in(rows * columns), out(rows * columns);
    for (int i = 0; i < rows * columns; ++i)
        in[i] = i;
    size_t bytes = in.size() * sizeof(int);
    int *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, block>>>(d_in, d_out, rows, columns);
    cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < columns; ++y)
        for (int x = 0; x < rows; ++x)
            wrong += out[y * rows + x] != in[x * columns + y];
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong > 0;
}

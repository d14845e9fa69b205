// Transposes a matrix without shared memory.
#include <cstdio>
#include <cstdlib>

__global__ void flip(int* out, const int* in, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}

int main(void)
{
    int rows = 33, columns = 120;
    int size = rows * columns * sizeof(int);
    int* in = (int*)malloc(size);
    int* out = (int*)malloc(size);
    for (int i = 0; i < rows * columns; i++)
        in[i] = 7 * i;
    int *d_in = NULL, *d_out = NULL;
    cudaMalloc((void**)&d_in, size);
    cudaMalloc((void**)&d_out, size);
    cudaMemcpy(d_in, in, size, cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    dim3 grid((columns + 31) / 32, (rows + 7) / 8);
    flip<<<grid, block>>>(d_out, d_in, rows, columns);
    cudaMemcpy(out, d_out, size, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            if (out[column * rows + row] != in[row * columns + column])
                wrong++;
    printf("%s\n", wrong ? "wrong" : "right");
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(out);
    return wrong != 0;
}

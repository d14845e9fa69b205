// The table of all products of two vectors, with blocks of two dimensions.
#include <stdio.h>

#define ROWS 40
#define COLUMNS 70

__global__ void products(const int *a, const int *b, int *table)
{
    int column = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (column < COLUMNS && row < ROWS)
        table[row * COLUMNS + column] = a[row] * b[column];
}

int main(void)
{
    int a[ROWS], b[COLUMNS], table[ROWS][COLUMNS];
    int *dev_a, *dev_b, *dev_table;
    for (int i = 0; i < ROWS; i++)
        a[i] = i - 5;
    for (int i = 0; i < COLUMNS; i++)
        b[i] = 2 * i + 1;
    cudaMalloc((void **)&dev_a, sizeof(a));
    cudaMalloc((void **)&dev_b, sizeof(b));
    cudaMalloc((void **)&dev_table, sizeof(table));
    cudaMemcpy(dev_a, a, sizeof(a), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, b, sizeof(b), cudaMemcpyHostToDevice);
    dim3 threads(16, 16);
    dim3 blocks((COLUMNS + 15) / 16, (ROWS + 15) / 16);
    products<<<blocks, threads>>>(dev_a, dev_b, dev_table);
    cudaMemcpy(table, dev_table, sizeof(table), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (table[i][j] != a[i] * b[j])
                wrong++;
    printf("%d wrong\n", wrong);
    cudaFree(dev_a);
    cudaFree(dev_b);
    cudaFree(dev_table);
    return wrong ? 1 : 0;
}

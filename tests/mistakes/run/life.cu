#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 48
#define COLS 70

__device__ int wrap(int a, int n) { return (a + n) % n; }

__global__ void life(const char *cur, char *next, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols) return;
    int n = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if (dr || dc)
                n += cur[wrap(r + dr, rows) * cols + wrap(c + dc, cols)];
    next[r * cols + c] = n == 3 || (n == 2 && cur[r * cols + c]);
}

static void lifeCpu(const char *cur, char *next)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            int n = 0;
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++)
                    if (dr || dc) n += cur[(r + dr + ROWS) % ROWS * COLS + (c + dc + COLS) % COLS];
            next[r * COLS + c] = n == 3 || (n == 2 && cur[r * COLS + c]);
        }
}

int main()
{
    static char grid[ROWS * COLS], a[ROWS * COLS], b[ROWS * COLS];
    srand(7);
    for (int i = 0; i < ROWS * COLS; i++) grid[i] = rand() % 3 == 0;
    char *d_a, *d_b;
    cudaMalloc((void **)&d_a, sizeof(grid));
    cudaMalloc((void **)&d_b, sizeof(grid));
    cudaMemcpy(d_a, grid, sizeof(grid), cudaMemcpyHostToDevice);
    dim3 block(16, 16), blocks((COLS + 15) / 16, (ROWS + 15) / 16);
    int generations = 20;
    for (int g = 0; g < generations; g++) {
        life<<<blocks, block>>>(d_a, d_b, ROWS, COLS);
        char *t = d_a;
        d_a = d_b;
        d_b = t;
    }
    cudaMemcpy(a, d_a, sizeof(a), cudaMemcpyDeviceToHost);
    for (int g = 0; g < generations; g++) {
        lifeCpu(grid, b);
        memcpy(grid, b, sizeof(grid));
    }
    int same = !memcmp(a, grid, sizeof(a));
    printf("%s\n", same ? "PASS" : "FAIL");
    cudaFree(d_a);
    cudaFree(d_b);
    return !same;
}

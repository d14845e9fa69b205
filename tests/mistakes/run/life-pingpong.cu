// Conway's Game of Life on a torus, two device boards used in turn
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define W 40
#define H 28
#define GENERATIONS 6

typedef unsigned char cell;

__global__ void lifeStep(const cell *now, cell *next)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;

    int n = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0)
                continue;
            int xx = (x + dx + W) % W;
            int yy = (y + dy + H) % H;
            n += now[yy * W + xx];
        }
    }
    cell alive = now[y * W + x];
    next[y * W + x] = (n == 3 || (alive && n == 2)) ? 1 : 0;
}

void cpuLife(cell *board)
{
    cell *old = (cell *)malloc(W * H);
    for (int g = 0; g < GENERATIONS; g++) {
        memcpy(old, board, W * H);
        for (int i = 0; i < W * H; i++) {
            int x = i % W, y = i / W;
            int l = (x == 0) ? W - 1 : x - 1, r = (x == W - 1) ? 0 : x + 1;
            int u = (y == 0) ? H - 1 : y - 1, d = (y == H - 1) ? 0 : y + 1;
            int sum = old[u * W + l] + old[u * W + x] + old[u * W + r]
                    + old[y * W + l]                  + old[y * W + r]
                    + old[d * W + l] + old[d * W + x] + old[d * W + r];
            if (sum < 2 || sum > 3)
                board[i] = 0;
            else if (sum == 3)
                board[i] = 1;
        }
    }
    free(old);
}

int main()
{
    cell *start = (cell *)malloc(W * H);
    cell *result = (cell *)malloc(W * H);
    srand(77);
    for (int i = 0; i < W * H; i++)
        start[i] = rand() % 3 == 0;

    cell *d[2];
    cudaMalloc((void **)&d[0], W * H * sizeof(cell));
    cudaMalloc((void **)&d[1], W * H * sizeof(cell));
    cudaMemcpy(d[0], start, W * H * sizeof(cell), cudaMemcpyHostToDevice);

    dim3 block(16, 16);
    dim3 grid((W + 15) / 16, (H + 15) / 16);
    for (int g = 0; g < GENERATIONS; g++)
        lifeStep<<<grid, block>>>(d[g % 2], d[(g + 1) % 2]);

    cudaMemcpy(result, d[GENERATIONS % 2], W * H * sizeof(cell), cudaMemcpyDeviceToHost);

    cpuLife(start);
    int different = 0, population = 0;
    for (int i = 0; i < W * H; i++) {
        population += start[i];
        if (result[i] != start[i])
            different++;
    }
    printf("population after %d generations: %d\n", GENERATIONS, population);
    if (different == 0)
        printf("boards are equal\n");
    else
        printf("boards differ in %d cells!\n", different);

    cudaFree(d[0]);
    cudaFree(d[1]);
    free(start);
    free(result);
    return different != 0;
}

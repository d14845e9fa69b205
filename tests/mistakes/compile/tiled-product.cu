/* Tiled matrix multiplication in the style of C, with events: the program into which tiled-product.txt plants its mistakes. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "cuda_runtime.h"

#define TILE 16
#define N 64

struct Matrix {
  int rows, columns;
  float *data;
};

__device__ int offset(const Matrix m, int row, int column)
{
    return row * m.columns + column;
}

template <typename T>
__global__ void multiply(Matrix a, Matrix b, T *c)
{
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < a.columns / TILE; t++) {
        tileA[threadIdx.y][threadIdx.x] = a.data[offset(a, row, t * TILE + threadIdx.x)];
        tileB[threadIdx.y][threadIdx.x] = b.data[offset(b, t * TILE + threadIdx.y, column)];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
        __syncthreads();
    }
    c[row * b.columns + column] = sum;
}

__global__ void count_large(const float *c, int *counter, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool large = i < N * N && fabsf(c[i]) > limit;
    unsigned ballot = __ballot_sync(0xffffffff, large);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(counter, __popc(ballot));
}

void fill(float *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = (float)rand() / RAND_MAX;
}

int main(void)
{
    size_t bytes = N * N * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    fill(a, N * N);
    fill(b, N * N);
    float *dev_a, *dev_b, *dev_c;
    int *counter, count = 0;
    cudaMalloc((void **)&dev_a, bytes);
    cudaMalloc((void **)&dev_b, bytes);
    cudaMalloc((void **)&dev_c, bytes);
    cudaMalloc((void **)&counter, sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    cudaMemcpy(dev_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, b, bytes, cudaMemcpyHostToDevice);
    Matrix ma = {N, N, dev_a};
    Matrix mb = {N, N, dev_b};
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    dim3 block(TILE, TILE);
    dim3 grid(N / TILE, N / TILE);
    cudaEventRecord(start);
    multiply<float><<<grid, block>>>(ma, mb, dev_c);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, start, stop);
    count_large<<<N * N / 256, 256>>>(dev_c, counter, 10.0f);
    cudaMemcpy(&count, counter, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(c, dev_c, bytes, cudaMemcpyDeviceToHost);
    printf("%d large values, c[0] = %f, %f ms\n", count, c[0], milliseconds);
    free(a);
    cudaFree(dev_a);
    return 0;
}

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

// one block per row
__global__ void rowMean(float *matrix, float *mean, int rows, int cols)
{
    extern __shared__ float buf[];
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += matrix[row * cols + c];
    buf[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        mean[row] = buf[0] / cols;
}

int main()
{
    int rows = 45, cols = 333, threads = 64;
    float *h_matrix = (float *)malloc(sizeof(float) * rows * cols);
    float *h_mean = (float *)malloc(sizeof(float) * rows);
    for (int i = 0; i < rows * cols; ++i) h_matrix[i] = (float)(i % 9) + i / cols;

    float *d_matrix, *d_mean;
    cudaMalloc((void **)&d_matrix, sizeof(float) * rows * cols);
    cudaMalloc((void **)&d_mean, sizeof(float) * rows);
    cudaMemcpy(d_matrix, h_matrix, sizeof(float) * rows * cols, cudaMemcpyHostToDevice);

    rowMean<<<rows, threads, threads * sizeof(float)>>>(d_matrix, d_mean, rows, cols);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        printf("CUDA Error: %s\n", cudaGetErrorString(err));

    cudaMemcpy(h_mean, d_mean, sizeof(float) * rows, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int r = 0; r < rows; ++r) {
        double s = 0;
        for (int c = 0; c < cols; ++c) s += h_matrix[r * cols + c];
        if (fabs(s / cols - h_mean[r]) > 1e-3) bad++;
    }
    printf("%s, %d bad rows\n", bad ? "FAIL" : "PASS", bad);
    cudaFree(d_matrix);
    cudaFree(d_mean);
    free(h_matrix);
    free(h_mean);
    return bad ? 1 : 0;
}

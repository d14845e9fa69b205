#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 10000

/* y = a*x + y. The threads form a 2D grid and step over the whole vector. */
__global__ void saxpy2d(float a, const float *x, float *y, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int width = gridDim.x * blockDim.x;
    int stride = width * gridDim.y * blockDim.y;

    for (int i = row * width + col; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    size_t size = N * sizeof(float);
    float *h_x = (float *)malloc(size);
    float *h_y = (float *)malloc(size);
    float *h_out = (float *)malloc(size);
    for (int i = 0; i < N; i++) {
        h_x[i] = (float)(i % 100);
        h_y[i] = 1.0f + i % 7;
    }

    float *d_x, *d_y;
    cudaMalloc((void **)&d_x, size);
    cudaMalloc((void **)&d_y, size);
    cudaMemcpy(d_x, h_x, size, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, h_y, size, cudaMemcpyHostToDevice);

    dim3 block(16, 8);
    dim3 grid(4, 3);
    saxpy2d<<<grid, block>>>(3.0f, d_x, d_y, N);

    cudaMemcpy(h_out, d_y, size, cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < N; i++)
        if (fabsf(h_out[i] - (3.0f * h_x[i] + h_y[i])) > 1e-4f)
            errors++;
    if (errors)
        printf("FAILED: %d errors\n", errors);
    else
        printf("PASSED\n");

    cudaFree(d_x);
    cudaFree(d_y);
    free(h_x);
    free(h_y);
    free(h_out);
    return errors ? 1 : 0;
}

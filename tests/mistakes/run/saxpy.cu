// y = a x + y, checked on the host: the program ends with 1 if an element is wrong.
#include <cstdio>
#include <cstdlib>

__global__ void saxpy(int n, float a, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    int n = 5000;
    size_t bytes = n * sizeof(float);
    float* x = (float*)malloc(bytes);
    float* y = (float*)malloc(bytes);
    for (int i = 0; i < n; ++i) {
        x[i] = i % 13 + 1;
        y[i] = i % 7 + 2;
    }
    float *d_x, *d_y;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, d_x, d_y);
    cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += y[i] != 2.0f * x[i] + (i % 7 + 2);
    printf("%d wrong\n", wrong);
    cudaFree(d_x);
    cudaFree(d_y);
    free(x);
    free(y);
    return wrong > 0;
}

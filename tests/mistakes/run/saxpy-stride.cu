// saxpy.cu: y = a * x + y, written with a grid-stride loop
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t err_ = (call);                                    \
        if (err_ != cudaSuccess) {                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,        \
                    cudaGetErrorString(err_));                        \
            exit(EXIT_FAILURE);                                       \
        }                                                             \
    } while (0)

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    for (int i = start; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    const int N = 3000;
    const float A = 2.5f;
    const size_t bytes = N * sizeof(float);

    float *h_x = (float *)malloc(bytes);
    float *h_y = (float *)malloc(bytes);
    float *expected = (float *)malloc(bytes);

    srand(1234);
    for (int i = 0; i < N; i++) {
        h_x[i] = 1.0f + (float)(rand() % 1000) / 100.0f;
        h_y[i] = 3.0f + (float)(rand() % 1000) / 50.0f;
        expected[i] = A * h_x[i] + h_y[i];
    }

    float *d_x = NULL, *d_y = NULL;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_y, bytes));

    CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));

    // deliberately fewer threads than elements
    int threads = 128;
    int blocks = 4;
    saxpy<<<blocks, threads>>>(N, A, d_x, d_y);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));

    double maxError = 0.0;
    for (int i = 0; i < N; i++) {
        double e = fabs((double)h_y[i] - (double)expected[i]);
        if (!(e <= maxError))
            maxError = e;
    }
    printf("max error: %g\n", maxError);

    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    free(h_x);
    free(h_y);
    free(expected);

    if (!(maxError < 1e-4)) {
        printf("Test FAILED\n");
        return EXIT_FAILURE;
    }
    printf("Test passed\n");
    return EXIT_SUCCESS;
}

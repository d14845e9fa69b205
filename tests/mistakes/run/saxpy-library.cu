// y = 2 x + y with cuBLAS.
#include <cublas_v2.h>
#include <cstdio>
#include <vector>

int main()
{
    const int n = 800;
    std::vector<float> x(n), y(n), result(n);
    for (int i = 0; i < n; ++i) {
        x[i] = i % 30;
        y[i] = i % 11;
    }
    float *d_x, *d_y, factor = 2;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSaxpy(handle, n, &factor, d_x, 1, d_y, 1);
    cudaMemcpy(result.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != factor * x[i] + y[i];
    printf("%d wrong\n", wrong);
    cublasDestroy(handle);
    cudaFree(d_x);
    cudaFree(d_y);
    return wrong > 0;
}

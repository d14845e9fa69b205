// C = A B with cuBLAS, with matrices by columns.
#include <cublas_v2.h>
#include <cstdio>
#include <vector>

int main()
{
    const int rows = 20, columns = 30, inner = 10;
    std::vector<double> a(rows * inner), b(inner * columns), c(rows * columns);
    for (size_t i = 0; i < a.size(); ++i)
        a[i] = i % 5;
    for (size_t i = 0; i < b.size(); ++i)
        b[i] = i % 7;
    double *d_a, *d_b, *d_c, one = 1, zero = 0;
    cudaMalloc(&d_a, a.size() * sizeof(double));
    cudaMalloc(&d_b, b.size() * sizeof(double));
    cudaMalloc(&d_c, c.size() * sizeof(double));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasStatus_t status = cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, inner, &one, d_a, rows, d_b,
                                        inner, &zero, d_c, rows);
    if (status != CUBLAS_STATUS_SUCCESS)
        printf("status %d\n", status);
    cudaMemcpy(c.data(), d_c, c.size() * sizeof(double), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            double sum = 0;
            for (int k = 0; k < inner; ++k)
                sum += a[k * rows + row] * b[column * inner + k];
            wrong += c[column * rows + row] != sum;
        }
    printf("%d wrong\n", wrong);
    cublasDestroy(handle);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return wrong > 0;
}

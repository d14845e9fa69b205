// Solves a system of equations by Jacobi steps until the change is small.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void improve(const double* matrix, const double* right, const double* x, double* next, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    double sum = right[row];
    for (int column = 0; column < n; ++column)
        if (column != row)
            sum -= matrix[row * n + column] * x[column];
    next[row] = sum / matrix[row * n + row];
}

int main()
{
    const int n = 40;
    std::vector<double> matrix(n * n), right(n), x(n, 0);
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            matrix[row * n + column] = row == column ? 3 * n : (row + 2 * column) % 3;
            right[row] += matrix[row * n + column] * column;
        }
    double *d_matrix, *d_right, *d_x, *d_next;
    cudaMalloc(&d_matrix, n * n * sizeof(double));
    cudaMalloc(&d_right, n * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_next, n * sizeof(double));
    cudaMemcpy(d_matrix, matrix.data(), n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_right, right.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < 30; ++step) {
        improve<<<2, 32>>>(d_matrix, d_right, d_x, d_next, n);
        std::swap(d_x, d_next);
    }
    cudaMemcpy(x.data(), d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < n; ++row)
        wrong += !(std::fabs(x[row] - row) < 1e-6);
    printf("%d wrong\n", wrong);
    cudaFree(d_matrix);
    cudaFree(d_right);
    cudaFree(d_x);
    cudaFree(d_next);
    return wrong > 0;
}

// Multiplies a matrix by a vector, one row per warp.
#include <cstdio>
#include <vector>

const int kWarpsPerBlock = 4;

__global__ void multiply(const double* matrix, const double* x, double* y, int rows, int columns)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * kWarpsPerBlock + threadIdx.x / 32;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = lane; k < columns; k += 32)
        sum += matrix[row * columns + k] * x[k];
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_xor_sync(~0u, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

int main()
{
    const int rows = 30, columns = 100;
    std::vector<double> matrix(rows * columns), x(columns), y(rows);
    for (int i = 0; i < rows * columns; ++i)
        matrix[i] = i % 11;
    for (int k = 0; k < columns; ++k)
        x[k] = k % 4 - 1;
    double *d_matrix, *d_x, *d_y;
    cudaMalloc(&d_matrix, matrix.size() * sizeof(double));
    cudaMalloc(&d_x, columns * sizeof(double));
    cudaMalloc(&d_y, rows * sizeof(double));
    cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), columns * sizeof(double), cudaMemcpyHostToDevice);
    multiply<<<(rows + kWarpsPerBlock - 1) / kWarpsPerBlock, 32 * kWarpsPerBlock>>>(d_matrix, d_x, d_y, rows, columns);
    cudaMemcpy(y.data(), d_y, rows * sizeof(double), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int k = 0; k < columns; ++k)
            sum += matrix[row * columns + k] * x[k];
        wrong += y[row] != sum;
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_matrix);
    cudaFree(d_x);
    cudaFree(d_y);
    return wrong > 0;
}

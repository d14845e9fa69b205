// Multiplies a matrix by a vector, one row per thread.
#include <cstdio>
#include <vector>

__global__ void multiply(const float* matrix, const float* x, float* y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < columns; ++k)
        sum += matrix[row * columns + k] * x[k];
    y[row] = sum;
}

int main()
{
    const int rows = 150, columns = 64;
    std::vector<float> matrix(rows * columns), x(columns), y(rows);
    for (int i = 0; i < rows * columns; ++i)
        matrix[i] = i % 7 - 3;
    for (int k = 0; k < columns; ++k)
        x[k] = k % 5;
    float *d_matrix, *d_x, *d_y;
    cudaMalloc(&d_matrix, matrix.size() * sizeof(float));
    cudaMalloc(&d_x, x.size() * sizeof(float));
    cudaMalloc(&d_y, y.size() * sizeof(float));
    cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    multiply<<<(rows + 63) / 64, 64>>>(d_matrix, d_x, d_y, rows, columns);
    cudaMemcpy(y.data(), d_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
        float sum = 0;
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

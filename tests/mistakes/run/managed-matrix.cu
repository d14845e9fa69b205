// A matrix with its elements in managed memory, scaled row by row by one block each.
#include <cstdio>

struct Matrix {
    int rows, columns;
    float* elements;
};

__global__ void scale_rows(Matrix* matrix)
{
    int row = blockIdx.x;
    for (int column = threadIdx.x; column < matrix->columns; column += blockDim.x)
        matrix->elements[row * matrix->columns + column] *= row;
}

int main()
{
    Matrix* matrix;
    cudaMallocManaged(&matrix, sizeof(Matrix));
    matrix->rows = 20;
    matrix->columns = 70;
    int n = matrix->rows * matrix->columns;
    cudaMallocManaged(&matrix->elements, n * sizeof(float));
    for (int i = 0; i < n; ++i)
        matrix->elements[i] = i;
    scale_rows<<<matrix->rows, 32>>>(matrix);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(status));
        return 2;
    }
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += matrix->elements[i] != float(i) * (i / matrix->columns);
    printf("%d wrong\n", wrong);
    cudaFree(matrix->elements);
    cudaFree(matrix);
    return wrong > 0;
}

// Multiplies complex numbers that are stored as two arrays.
#include <cstdio>
#include <vector>

struct Complexes {
    float *real, *imaginary;
};

__global__ void multiply(Complexes a, Complexes b, Complexes result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    result.real[i] = a.real[i] * b.real[i] - a.imaginary[i] * b.imaginary[i];
    result.imaginary[i] = a.real[i] * b.imaginary[i] + a.imaginary[i] * b.real[i];
}

Complexes allocate(int n)
{
    Complexes numbers;
    cudaMalloc(&numbers.real, n * sizeof(float));
    cudaMalloc(&numbers.imaginary, n * sizeof(float));
    return numbers;
}

int main()
{
    const int n = 500;
    const size_t bytes = n * sizeof(float);
    std::vector<float> real(n), imaginary(n), x(n), y(n);
    for (int i = 0; i < n; ++i) {
        real[i] = i % 10;
        imaginary[i] = i % 7 - 3;
    }
    Complexes a = allocate(n), square = allocate(n);
    cudaMemcpy(a.real, real.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(a.imaginary, imaginary.data(), bytes, cudaMemcpyHostToDevice);
    multiply<<<(n + 127) / 128, 128>>>(a, a, square, n);
    cudaMemcpy(x.data(), square.real, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), square.imaginary, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += x[i] != real[i] * real[i] - imaginary[i] * imaginary[i] || y[i] != 2 * real[i] * imaginary[i];
    printf("%d wrong\n", wrong);
    for (float* array : {a.real, a.imaginary, square.real, square.imaginary})
        cudaFree(array);
    return wrong > 0;
}

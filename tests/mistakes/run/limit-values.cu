// Limits values of several types with a template of a kernel.
#include <cstdio>
#include <vector>

template <typename T>
__global__ void limit(T* data, T low, T high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] < low ? low : data[i] > high ? high : data[i];
}

template <typename T>
int wrong_of(T low, T high, int n)
{
    std::vector<T> data(n), result(n);
    for (int i = 0; i < n; ++i)
        data[i] = T(i % 100);
    T* d_data;
    cudaMalloc(&d_data, n * sizeof(T));
    cudaMemcpy(d_data, data.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    limit<T><<<(n + 255) / 256, 256>>>(d_data, low, high, n);
    cudaMemcpy(result.data(), d_data, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != (data[i] < low ? low : data[i] > high ? high : data[i]);
    return wrong;
}

int main()
{
    int wrong = wrong_of<int>(10, 50, 1000) + wrong_of<double>(0.5, 70.25, 600) + wrong_of<short>(3, 4, 100);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}

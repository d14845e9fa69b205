// Multiplies a vector by a factor in place, with a loop over the whole grid.
#include <cstdio>
#include <vector>

__global__ void scale(float* data, float factor, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        data[i] *= factor;
}

int main()
{
    const int n = 7777;
    std::vector<float> data(n), result(n);
    for (int i = 0; i < n; ++i)
        data[i] = i % 100 + 1;
    float* d_data;
    cudaMalloc(&d_data, n * sizeof(float));
    cudaMemcpy(d_data, data.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<8, 128>>>(d_data, 3, n);
    cudaMemcpy(result.data(), d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 3 * data[i];
    printf("%d wrong\n", wrong);
    cudaFree(d_data);
    return wrong > 0;
}

// The largest element, with one atomic operation per thread.
#include <climits>
#include <cstdio>
#include <vector>

__global__ void largest(const int* values, int n, int* result)
{
    int best = INT_MIN;
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
        best = max(best, values[i]);
    atomicMax(result, best);
}

int main()
{
    const int n = 12345;
    std::vector<int> values(n);
    int expected = INT_MIN;
    for (int i = 0; i < n; ++i) {
        values[i] = -100000 + i * 911 % 70001;
        expected = expected < values[i] ? values[i] : expected;
    }
    int *d_values, *d_result, result = INT_MIN;
    cudaMalloc(&d_values, n * sizeof(int));
    cudaMalloc(&d_result, sizeof(int));
    cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_result, &result, sizeof(int), cudaMemcpyHostToDevice);
    largest<<<12, 256>>>(d_values, n, d_result);
    cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    cudaFree(d_values);
    cudaFree(d_result);
    return result != expected;
}

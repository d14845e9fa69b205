// Sorts a vector with alternating steps that exchange neighbours.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void exchange(int* data, int n, int odd)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i + 1 < n && data[i] > data[i + 1]) {
        int smaller = data[i + 1];
        data[i + 1] = data[i];
        data[i] = smaller;
    }
}

int main()
{
    const int n = 130;
    std::vector<int> data(n), sorted(n);
    for (int i = 0; i < n; ++i)
        data[i] = i * 57 % 131;
    int* d_data;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int step = 0; step < n; ++step)
        exchange<<<3, 32>>>(d_data, n, step % 2);
    cudaMemcpy(sorted.data(), d_data, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::sort(data.begin(), data.end());
    printf("%s\n", data == sorted ? "sorted" : "not sorted");
    cudaFree(d_data);
    return data != sorted;
}

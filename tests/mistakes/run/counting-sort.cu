// Sorts bytes: counts them on the device, adds the counts up on the host, writes the runs on the device.
#include <cstdio>
#include <vector>

__global__ void count(const unsigned char* keys, int n, int* counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(counts + keys[i], 1);
}

__global__ void fill(const int* starts, unsigned char* sorted)
{
    int key = blockIdx.x;
    for (int i = starts[key] + threadIdx.x; i < starts[key + 1]; i += blockDim.x)
        sorted[i] = key;
}

int main()
{
    const int n = 3000;
    std::vector<unsigned char> keys(n), sorted(n);
    for (int i = 0; i < n; ++i)
        keys[i] = i * i % 256;
    int counts[256], starts[257] = {0};
    unsigned char *d_keys, *d_sorted;
    int *d_counts, *d_starts;
    cudaMalloc(&d_keys, n);
    cudaMalloc(&d_sorted, n);
    cudaMalloc(&d_counts, sizeof(counts));
    cudaMalloc(&d_starts, sizeof(starts));
    cudaMemcpy(d_keys, keys.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_counts, 0, sizeof(counts));
    count<<<(n + 255) / 256, 256>>>(d_keys, n, d_counts);
    cudaMemcpy(counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost);
    for (int key = 0; key < 256; ++key)
        starts[key + 1] = starts[key] + counts[key];
    cudaMemcpy(d_starts, starts, sizeof(starts), cudaMemcpyHostToDevice);
    fill<<<256, 64>>>(d_starts, d_sorted);
    cudaMemcpy(sorted.data(), d_sorted, n, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0, key = 0; i < n; ++i) {
        while (i >= starts[key + 1])
            ++key;
        wrong += sorted[i] != key;
    }
    wrong += starts[256] != n;
    printf("%d wrong\n", wrong);
    cudaFree(d_keys);
    cudaFree(d_sorted);
    cudaFree(d_counts);
    cudaFree(d_starts);
    return wrong > 0;
}

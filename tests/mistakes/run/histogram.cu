// Counts bytes in bins: each block in shared memory, then all blocks in device memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kBins = 64;

__global__ void count(const unsigned char* data, int n, unsigned* bins)
{
    __shared__ unsigned own[kBins];
    if (threadIdx.x < kBins)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1);
    __syncthreads();
    if (threadIdx.x < kBins)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main()
{
    int n = 20000;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> bins(kBins), expected(kBins);
    for (int i = 0; i < n; ++i) {
        data[i] = (i * 7 + i / 64) % kBins;
        ++expected[data[i]];
    }
    unsigned char* d_data;
    unsigned* d_bins;
    cudaMalloc(&d_data, n);
    cudaMalloc(&d_bins, kBins * sizeof(unsigned));
    cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, kBins * sizeof(unsigned));
    count<<<20, 128>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int bin = 0; bin < kBins; ++bin)
        wrong += bins[bin] != expected[bin];
    printf("%d wrong\n", wrong);
    cudaFree(d_data);
    cudaFree(d_bins);
    return wrong > 0;
}

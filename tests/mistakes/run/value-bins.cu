#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace std;

// histogram of values between 0 and 1, the bins of a block are in dynamic shared memory
__global__ void histo_kernel(const float *values, unsigned int *histo, int n, int bins)
{
    extern __shared__ unsigned int local[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        int b = (int)(values[i] * bins);
        if (b == bins)
            b = bins - 1;
        atomicAdd(&local[b], 1);
    }
    __syncthreads();

    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        atomicAdd(&histo[b], local[b]);
}

int main()
{
    const int n = 8000;
    const int bins = 200;
    vector<float> values(n);
    vector<unsigned int> expected(bins, 0), histo(bins);
    for (int i = 0; i < n; i++) {
        values[i] = (i * 37 % 1024) / 1023.0f;
        int b = (int)(values[i] * bins);
        expected[b < bins ? b : bins - 1]++;
    }

    float *dev_values;
    unsigned int *dev_histo;
    cudaMalloc((void **)&dev_values, n * sizeof(float));
    cudaMalloc((void **)&dev_histo, bins * sizeof(unsigned int));
    cudaMemcpy(dev_values, &values[0], n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dev_histo, 0, bins * sizeof(unsigned int));

    int threads = 128;
    int blocks = (n + threads - 1) / threads;
    histo_kernel<<<blocks, threads, bins * sizeof(unsigned int)>>>(dev_values, dev_histo, n, bins);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        printf("CUDA error: %s\n", cudaGetErrorString(error));
        return 3;
    }

    cudaMemcpy(&histo[0], dev_histo, bins * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < bins; b++)
        if (histo[b] != expected[b]) {
            printf("bin %d has %u, not %u\n", b, histo[b], expected[b]);
            return 1;
        }
    cudaFree(dev_values);
    cudaFree(dev_histo);
    return 0;
}

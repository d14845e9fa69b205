// Bitonic sort of (key, value) pairs, one kernel launch per compare step
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

static const int N = 256;       // must be a power of two
static const int THREADS = 64;

__global__ void bitonicStep(float *keys, int *vals, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int partner = i ^ j;

    if (partner > i) {
        bool ascending = (i & k) == 0;
        float a = keys[i];
        float b = keys[partner];
        if (ascending == (a > b)) {
            keys[i] = b;
            keys[partner] = a;
            int t = vals[i];
            vals[i] = vals[partner];
            vals[partner] = t;
        }
    }
}

void bitonicSort(float *d_keys, int *d_vals)
{
    for (int k = 2; k <= N; k *= 2)
        for (int j = k / 2; j > 0; j /= 2)
            bitonicStep<<<N / THREADS, THREADS>>>(d_keys, d_vals, j, k);
}

int main()
{
    std::vector<float> keys(N);
    std::vector<int> vals(N);
    std::vector<std::pair<float, int>> sorted(N);

    // distinct keys in a scrambled order
    for (int i = 0; i < N; i++) {
        keys[i] = 0.25f * ((i * 151 + 67) % N) - 20.0f;
        vals[i] = 1000 + i;
        sorted[i] = std::make_pair(keys[i], vals[i]);
    }
    std::sort(sorted.begin(), sorted.end());

    float *d_keys;
    int *d_vals;
    cudaMalloc(&d_keys, N * sizeof(float));
    cudaMalloc(&d_vals, N * sizeof(int));
    cudaMemcpy(d_keys, keys.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_vals, vals.data(), N * sizeof(int), cudaMemcpyHostToDevice);

    bitonicSort(d_keys, d_vals);

    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        fprintf(stderr, "sort failed: %s\n", cudaGetErrorString(status));
        return -1;
    }
    cudaMemcpy(keys.data(), d_keys, keys.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(vals.data(), d_vals, vals.size() * sizeof(int), cudaMemcpyDeviceToHost);

    for (int i = 0; i < N; i++) {
        if (keys[i] != sorted[i].first) {
            printf("Sorting error: key %d is %f, should be %f\n", i, keys[i], sorted[i].first);
            return 1;
        }
        if (vals[i] != sorted[i].second) {
            printf("Sorting error: value %d does not belong to its key\n", i);
            return 1;
        }
    }
    printf("Sorted %d pairs correctly.\n", N);

    cudaFree(d_keys);
    cudaFree(d_vals);
    return 0;
}

// Minimum, maximum and sum of an integer array with a tree reduction.
// Every block reduces 2 * BLOCK elements; the host combines the blocks.
#include <cuda_runtime.h>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

constexpr int BLOCK = 256;

struct Stats {
    int lo;
    int hi;
    long long sum;
};

__global__ void blockStats(const int *data, int n, Stats *partial)
{
    __shared__ int slo[BLOCK];
    __shared__ int shi[BLOCK];
    __shared__ long long ssum[BLOCK];

    int tid = threadIdx.x;
    int i = blockIdx.x * (blockDim.x * 2) + tid;

    int lo = INT_MAX;
    int hi = INT_MIN;
    long long sum = 0;
    if (i < n) {
        lo = min(lo, data[i]);
        hi = max(hi, data[i]);
        sum += data[i];
    }
    if (i + BLOCK < n) {
        lo = min(lo, data[i + BLOCK]);
        hi = max(hi, data[i + BLOCK]);
        sum += data[i + BLOCK];
    }
    slo[tid] = lo;
    shi[tid] = hi;
    ssum[tid] = sum;
    __syncthreads();

    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            slo[tid] = min(slo[tid], slo[tid + s]);
            shi[tid] = max(shi[tid], shi[tid + s]);
            ssum[tid] += ssum[tid + s];
        }
        __syncthreads();
    }

    if (tid == 0) {
        partial[blockIdx.x].lo = slo[0];
        partial[blockIdx.x].hi = shi[0];
        partial[blockIdx.x].sum = ssum[0];
    }
}

int main()
{
    const int n = 2500;
    std::vector<int> data(n);
    unsigned seed = 7;
    for (int &v : data) {
        seed = seed * 1103515245u + 12345u;
        v = -10000000 - (int)((seed >> 8) % 9000000);   // all negative
    }

    Stats want = {INT_MAX, INT_MIN, 0};
    for (int v : data) {
        want.lo = std::min(want.lo, v);
        want.hi = std::max(want.hi, v);
        want.sum += v;
    }

    const int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    int *d_data;
    Stats *d_part;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_part, blocks * sizeof(Stats));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    blockStats<<<blocks, BLOCK>>>(d_data, n, d_part);

    std::vector<Stats> part(blocks);
    cudaMemcpy(part.data(), d_part, blocks * sizeof(Stats), cudaMemcpyDeviceToHost);

    Stats got = part[0];
    for (int b = 1; b < blocks; b++) {
        got.lo = std::min(got.lo, part[b].lo);
        got.hi = std::max(got.hi, part[b].hi);
        got.sum += part[b].sum;
    }

    int errors = 0;
    if (got.lo != want.lo) { printf("min: %d, should be %d\n", got.lo, want.lo); errors++; }
    if (got.hi != want.hi) { printf("max: %d, should be %d\n", got.hi, want.hi); errors++; }
    if (got.sum != want.sum) { printf("sum: %lld, should be %lld\n", got.sum, want.sum); errors++; }
    printf("%d errors\n", errors);

    cudaFree(d_data);
    cudaFree(d_part);
    return errors;
}

// Inclusive prefix sums of a long vector: each block scans its part, then a second kernel adds the sums of the
// blocks before it.
#include <cassert>
#include <cstdio>
#include <cstdlib>

#define BLOCK 128

#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__global__ void scanBlocks(const int *in, int *out, int *sums, int n)
{
    __shared__ int temp[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int value = 0;
        if (t >= d)
            value = temp[t - d];
        __syncthreads();
        temp[t] += value;
        __syncthreads();
    }
    if (i < n)
        out[i] = temp[t];
    if (t == BLOCK - 1)
        sums[blockIdx.x] = temp[t];
}

__global__ void addSums(int *out, const int *sums, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int before = 0;
    for (int b = 0; b < blockIdx.x; b++)
        before += sums[b];
    if (i < n)
        out[i] += before;
}

int main()
{
    const int n = 5000, blocks = (n + BLOCK - 1) / BLOCK;
    int *in = new int[n], *out = new int[n];
    for (int i = 0; i < n; i++)
        in[i] = i % 17 - 4;

    int *d_in, *d_out, *d_sums;
    gpuErrchk(cudaMalloc(&d_in, n * sizeof(int)));
    gpuErrchk(cudaMalloc(&d_out, n * sizeof(int)));
    gpuErrchk(cudaMalloc(&d_sums, blocks * sizeof(int)));
    gpuErrchk(cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice));

    scanBlocks<<<blocks, BLOCK>>>(d_in, d_out, d_sums, n);
    gpuErrchk(cudaPeekAtLastError());
    addSums<<<blocks, BLOCK>>>(d_out, d_sums, n);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        assert(out[i] == sum);
    }
    printf("all %d sums are right\n", n);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    delete[] in;
    delete[] out;
    return 0;
}

// Inclusive prefix sum of a long array:
//   pass 1  scan every block on its own, remember the block totals
//   pass 2  scan the block totals, add them to the later blocks
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define BLOCK 128

__global__ void scanBlocks(const int *in, int *out, int *totals, int n)
{
    extern __shared__ int temp[];          // two buffers of blockDim.x
    int tid = threadIdx.x;
    int gid = blockIdx.x * blockDim.x + tid;
    int pout = 0, pin = 1;

    temp[tid] = (gid < n) ? in[gid] : 0;
    __syncthreads();

    for (int off = 1; off < blockDim.x; off *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= off)
            temp[pout * blockDim.x + tid] = temp[pin * blockDim.x + tid]
                                          + temp[pin * blockDim.x + tid - off];
        else
            temp[pout * blockDim.x + tid] = temp[pin * blockDim.x + tid];
        __syncthreads();
    }

    if (gid < n)
        out[gid] = temp[pout * blockDim.x + tid];
    if (totals != NULL && tid == blockDim.x - 1)
        totals[blockIdx.x] = temp[pout * blockDim.x + tid];
}

__global__ void addTotals(int *out, const int *scanned, int n)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && gid < n)
        out[gid] += scanned[blockIdx.x - 1];
}

int main()
{
    const int n = 1500;
    int *h_in = new int[n];
    int *h_out = new int[n];
    int *ref = new int[n];

    srand(42);
    int running = 0;
    for (int i = 0; i < n; i++) {
        h_in[i] = 1 + rand() % 20;
        h_out[i] = 0;
        running += h_in[i];
        ref[i] = running;
    }

    const int blocks = (n + BLOCK - 1) / BLOCK;
    const size_t smem = 2 * BLOCK * sizeof(int);

    int *d_in, *d_out, *d_totals, *d_scanned;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_totals, blocks * sizeof(int));
    cudaMalloc(&d_scanned, blocks * sizeof(int));
    cudaMemcpy(d_in, h_in, n * sizeof(int), cudaMemcpyHostToDevice);

    scanBlocks<<<blocks, BLOCK, smem>>>(d_in, d_out, d_totals, n);
    scanBlocks<<<1, BLOCK, smem>>>(d_totals, d_scanned, NULL, blocks);
    addTotals<<<blocks, BLOCK>>>(d_out, d_scanned, n);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("CUDA error\n");
        exit(1);
    }
    cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);

    int i = 0;
    while (i < n && h_out[i] == ref[i])
        i++;
    if (i == n)
        printf("OK\n");
    else
        printf("mismatch at %d: gpu %d, cpu %d\n", i, h_out[i], ref[i]);

    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_totals);
    cudaFree(d_scanned);
    delete[] h_in;
    delete[] h_out;
    delete[] ref;
    return i == n ? 0 : 1;
}

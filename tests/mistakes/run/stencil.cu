// The sum of each element and its neighbours at a distance of at most 3, from shared memory with halos.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kRadius = 3, kBlock = 64;

__global__ void stencil(const int* in, int* out, int n)
{
    __shared__ int cells[kBlock + 2 * kRadius];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + kRadius;
    cells[at] = i < n ? in[i] : 0;
    if (threadIdx.x < kRadius) {
        cells[at - kRadius] = i >= kRadius ? in[i - kRadius] : 0;
        cells[at + kBlock] = i + kBlock < n ? in[i + kBlock] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int offset = -kRadius; offset <= kRadius; ++offset)
        sum += cells[at + offset];
    if (i < n)
        out[i] = sum;
}

int main()
{
    const int n = 1000;
    int in[n], out[n];
    for (int i = 0; i < n; ++i)
        in[i] = i * i % 10;
    int *d_in, *d_out;
    cudaMalloc((void**)&d_in, n * sizeof(int));
    cudaMalloc((void**)&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    stencil<<<(n + kBlock - 1) / kBlock, kBlock>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int j = i - kRadius; j <= i + kRadius; ++j)
            sum += j >= 0 && j < n ? in[j] : 0;
        wrong += out[i] != sum;
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong > 0;
}

// A kernel reads and writes mapped host memory.
#include <cstdio>

__global__ void halve(const float* in, float* out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        out[i] = in[i] / 2;
}

int main()
{
    const int n = 700;
    float *in, *out, *d_in, *d_out;
    cudaHostAlloc(&in, n * sizeof(float), cudaHostAllocMapped);
    cudaHostAlloc(&out, n * sizeof(float), cudaHostAllocMapped);
    for (int i = 0; i < n; ++i)
        in[i] = i;
    cudaHostGetDevicePointer(&d_in, in, 0);
    cudaHostGetDevicePointer(&d_out, out, 0);
    halve<<<(n + 63) / 64, 64>>>(d_in, d_out, n);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += out[i] != in[i] / 2;
    printf("%d wrong\n", wrong);
    cudaFreeHost(in);
    cudaFreeHost(out);
    return wrong > 0;
}

// Squares the two halves of a vector on two streams, with pinned memory.
#include <cstdio>

__global__ void square(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}

int main()
{
    const int n = 4000, half = n / 2;
    const size_t bytes = half * sizeof(int);
    int *in, *out, *d_in, *d_out;
    cudaMallocHost(&in, n * sizeof(int));
    cudaMallocHost(&out, n * sizeof(int));
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    for (int i = 0; i < n; ++i) {
        in[i] = i - 1000;
        out[i] = 0;
    }
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams)
        cudaStreamCreate(&stream);
    for (int part = 0; part < 2; ++part) {
        int first = part * half;
        cudaMemcpyAsync(d_in + first, in + first, bytes, cudaMemcpyHostToDevice, streams[part]);
        square<<<(half + 127) / 128, 128, 0, streams[part]>>>(d_in + first, d_out + first, half);
        cudaMemcpyAsync(out + first, d_out + first, bytes, cudaMemcpyDeviceToHost, streams[part]);
    }
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += out[i] != in[i] * in[i];
    printf("%d wrong\n", wrong);
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaFreeHost(in);
    cudaFreeHost(out);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong > 0;
}

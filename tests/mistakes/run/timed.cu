// Times a kernel with events.
#include <cstdio>
#include <vector>

__global__ void cubes(float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = float(i) * i * i;
}

int main()
{
    const int n = 2000;
    std::vector<float> out(n);
    float* d_out;
    cudaMalloc(&d_out, n * sizeof(float));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    cubes<<<(n + 255) / 256, 256>>>(d_out, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = -1;
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = milliseconds < 0;
    for (int i = 0; i < n; ++i)
        wrong += out[i] != float(i) * i * i;
    printf("%d wrong\n", wrong);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(d_out);
    return wrong > 0;
}

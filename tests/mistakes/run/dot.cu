// The dot product with one partial sum per block, added on the host.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kBlock = 128;

__global__ void dot(const float* a, const float* b, float* partial, int n)
{
    __shared__ float cache[kBlock];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    while (i < n) {
        sum += a[i] * b[i];
        i += blockDim.x * gridDim.x;
    }
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = cache[0];
}

int main()
{
    const int n = 10000, blocks = 16;
    std::vector<float> a(n), b(n), partial(blocks);
    double expected = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = i % 5;
        b[i] = i % 3;
        expected += a[i] * b[i];
    }
    float *d_a, *d_b, *d_partial;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMalloc(&d_partial, blocks * sizeof(float));
    cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dot<<<blocks, kBlock>>>(d_a, d_b, d_partial, n);
    cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double found = 0;
    for (float sum : partial)
        found += sum;
    printf("%g, expected %g\n", found, expected);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_partial);
    return found != expected;
}

// Evaluates a polynomial whose coefficients lie in constant memory, on a stream, with pinned memory.
#include <cstdio>

const int kTerms = 5;
__constant__ float coefficients[kTerms];

__global__ void evaluate(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = kTerms - 1; k >= 0; --k)
        sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}

int main()
{
    const int n = 500;
    const float terms[kTerms] = {1, -2, 0.5f, 3, -1};
    float *x, *y, *d_x, *d_y;
    cudaMallocHost(&x, n * sizeof(float));
    cudaMallocHost(&y, n * sizeof(float));
    for (int i = 0; i < n; ++i)
        x[i] = i % 8 * 0.25f;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyToSymbol(coefficients, terms, sizeof(terms));
    cudaMemcpyAsync(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    evaluate<<<(n + 63) / 64, 64, 0, stream>>>(d_x, d_y, n);
    cudaMemcpyAsync(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = kTerms - 1; k >= 0; --k)
            sum = sum * x[i] + terms[k];
        wrong += y[i] != sum;
    }
    printf("%d wrong\n", wrong);
    cudaStreamDestroy(stream);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFreeHost(x);
    cudaFreeHost(y);
    return wrong > 0;
}

// A convolution of a signal with five weights in constant memory.
#include <cmath>
#include <cstdio>
#include <vector>

const int kTaps = 5;
__constant__ float taps[kTaps];

__global__ void filter(const float* signal, float* result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) {
        int j = i + k - kTaps / 2;
        if (j >= 0 && j < n)
            sum += taps[k] * signal[j];
    }
    result[i] = sum;
}

int main()
{
    const int n = 900;
    const float weights[kTaps] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
    std::vector<float> signal(n), result(n);
    for (int i = 0; i < n; ++i)
        signal[i] = i % 15 - 7;
    float *d_signal, *d_result;
    cudaMalloc(&d_signal, n * sizeof(float));
    cudaMalloc(&d_result, n * sizeof(float));
    cudaMemcpy(d_signal, signal.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(taps, weights, kTaps * sizeof(float));
    filter<<<(n + 127) / 128, 128>>>(d_signal, d_result, n);
    cudaMemcpy(result.data(), d_result, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k < kTaps; ++k) {
            int j = i + k - kTaps / 2;
            sum += j >= 0 && j < n ? weights[k] * signal[j] : 0;
        }
        wrong += std::fabs(result[i] - sum) > 1e-5f;
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_signal);
    cudaFree(d_result);
    return wrong > 0;
}

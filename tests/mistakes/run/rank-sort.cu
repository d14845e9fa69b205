// Sorts different numbers by counting how many are smaller.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void place(const float* in, float* out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        int rank = 0;
        for (int j = 0; j < n; ++j)
            rank += in[j] < in[i];
        out[rank] = in[i];
    }
}

int main()
{
    const int n = 600;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[i] = i * 83 % 601;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    place<<<(n + 99) / 100, 100>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::sort(in.begin(), in.end());
    printf("%s\n", in == out ? "sorted" : "not sorted");
    cudaFree(d_in);
    cudaFree(d_out);
    return in != out;
}

// The largest of negative temperatures: shuffles in each warp, shared memory for a block, and the blocks' maxima on the host.
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <vector>

__global__ void blockMax(const float *t, float *result, int n)
{
    __shared__ float warpMax[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    float v = i < n ? t[i] : -FLT_MAX;
    for (int offset = 16; offset > 0; offset >>= 1)
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, offset));
    if (lane == 0)
        warpMax[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < 8 ? warpMax[lane] : -FLT_MAX;
        for (int offset = 4; offset > 0; offset >>= 1)
            v = fmaxf(v, __shfl_down_sync(0xffffffff, v, offset));
        if (lane == 0)
            result[blockIdx.x] = v;
    }
}

int main()
{
    const int n = 9999, threads = 256, blocks = (n + threads - 1) / threads;
    std::vector<float> t(n), maxima(blocks);
    for (int i = 0; i < n; ++i)
        t[i] = -5.0f - (i * 31 + 7) % 1013;

    float *d_t, *d_max;
    cudaMalloc(&d_t, n * sizeof(float));
    cudaMalloc(&d_max, blocks * sizeof(float));
    cudaMemcpy(d_t, t.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    blockMax<<<blocks, threads>>>(d_t, d_max, n);
    cudaMemcpy(maxima.data(), d_max, blocks * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int b = 0; b < blocks; ++b) {
        float expected = *std::max_element(t.begin() + b * threads, t.begin() + std::min(n, (b + 1) * threads));
        if (maxima[b] != expected) {
            printf("block %d: %f instead of %f\n", b, maxima[b], expected);
            wrong++;
        }
    }
    cudaFree(d_t);
    cudaFree(d_max);
    return wrong > 0;
}

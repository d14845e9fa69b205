// 1D filter with the coefficients in constant memory, tiled with halo cells.
// Cells outside of the array count as zero.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>

#define RADIUS 3
#define MASK (2 * RADIUS + 1)
#define BLOCK 128
#define LEN 1000

__constant__ float d_mask[MASK];

__global__ void filter1d(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK + 2 * RADIUS];

    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int left = g - RADIUS;

    s[threadIdx.x] = (left >= 0 && left < n) ? in[left] : 0.0f;
    if (threadIdx.x < 2 * RADIUS) {
        int right = left + BLOCK;
        s[threadIdx.x + BLOCK] = (right < n) ? in[right] : 0.0f;
    }
    __syncthreads();

    if (g < n) {
        float sum = 0.0f;
        for (int k = 0; k < MASK; k++)
            sum += d_mask[k] * s[threadIdx.x + k];
        out[g] = sum;
    }
}

int main()
{
    float mask[MASK] = {0.5f, -1.0f, 2.0f, 4.0f, 3.0f, -2.0f, 0.25f};
    float in[LEN], out[LEN], ref[LEN];

    for (int i = 0; i < LEN; i++) {
        in[i] = (float)((i * i + 3 * i) % 17) + 1.0f;
        out[i] = NAN;
    }
    for (int i = 0; i < LEN; i++) {
        ref[i] = 0.0f;
        for (int k = -3; k <= 3; k++)
            if (i + k >= 0 && i + k < LEN)
                ref[i] += mask[k + 3] * in[i + k];
    }

    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(d_mask, mask, sizeof(mask));

    int blocks = (LEN + BLOCK - 1) / BLOCK;
    filter1d<<<blocks, BLOCK>>>(d_in, d_out, LEN);

    cudaError_t rc = cudaGetLastError();
    if (rc == cudaSuccess)
        rc = cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    if (rc != cudaSuccess) {
        printf("CUDA says: %s\n", cudaGetErrorString(rc));
        return 1;
    }

    for (int i = 0; i < LEN; i++) {
        // NaN must not slip through, therefore "not smaller"
        if (!(fabsf(out[i] - ref[i]) < 1e-3f)) {
            printf("Result is WRONG: out[%d] = %f, expected %f\n", i, out[i], ref[i]);
            cudaFree(d_in);
            cudaFree(d_out);
            return 1;
        }
    }
    printf("Result is correct.\n");
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}

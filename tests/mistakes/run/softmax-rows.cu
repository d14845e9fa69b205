// Row-wise softmax. One warp handles one row, WARPS rows per block.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 50
#define COLS 77
#define WARPS 4

__inline__ __device__ float warpMax(float v)
{
    for (int off = 16; off > 0; off /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, off));
    return v;
}

__inline__ __device__ float warpSum(float v)
{
    for (int off = 16; off > 0; off /= 2)
        v += __shfl_xor_sync(0xffffffff, v, off);
    return v;
}

__global__ void softmaxRows(const float *in, float *out, int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;

    const float *x = in + row * cols;
    float *y = out + row * cols;

    // 1. the largest value of the row, so exp() cannot overflow
    float m = -INFINITY;
    for (int c = lane; c < cols; c += 32)
        m = fmaxf(m, x[c]);
    m = warpMax(m);

    // 2. exponentials and their sum
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float e = expf(x[c] - m);
        y[c] = e;
        s += e;
    }
    s = warpSum(s);

    // 3. normalise
    for (int c = lane; c < cols; c += 32)
        y[c] = y[c] / s;
}

int main()
{
    static float h_in[ROWS * COLS], h_out[ROWS * COLS];
    srand(5);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            h_in[r * COLS + c] = (r % 2 ? 150.0f : -150.0f) + (rand() % 1000) * 0.006f;

    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(h_in));
    cudaMalloc(&d_out, sizeof(h_out));
    cudaMemcpy(d_in, h_in, sizeof(h_in), cudaMemcpyHostToDevice);

    dim3 block(32, WARPS);
    int grid = (ROWS + WARPS - 1) / WARPS;
    softmaxRows<<<grid, block>>>(d_in, d_out, ROWS, COLS);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        fprintf(stderr, "launch: %s\n", cudaGetErrorString(err));
        return 2;
    }
    cudaMemcpy(h_out, d_out, sizeof(h_out), cudaMemcpyDeviceToHost);

    for (int r = 0; r < ROWS; r++) {
        double m = h_in[r * COLS], sum = 0;
        for (int c = 0; c < COLS; c++)
            if (h_in[r * COLS + c] > m)
                m = h_in[r * COLS + c];
        for (int c = 0; c < COLS; c++)
            sum += exp(h_in[r * COLS + c] - m);
        for (int c = 0; c < COLS; c++) {
            double want = exp(h_in[r * COLS + c] - m) / sum;
            double got = h_out[r * COLS + c];
            if (!(fabs(got - want) <= 1e-5 + 1e-4 * want)) {
                printf("row %d, column %d: softmax is %g but should be %g\n", r, c, got, want);
                printf("softmax: NOT ok\n");
                return 1;
            }
        }
    }
    printf("softmax: ok\n");
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) \
{ \
    const cudaError_t error = call; \
    if (error != cudaSuccess) \
    { \
        printf("Error: %s:%d, code: %d, reason: %s\n", __FILE__, __LINE__, error, cudaGetErrorString(error)); \
        exit(1); \
    } \
}

__global__ void scaleRows(float *data, size_t pitch, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < width && r < height) {
        float *row = (float *)((char *)data + r * pitch);
        row[c] = row[c] * (r + 1);
    }
}

int main()
{
    const int width = 67, height = 33;
    float h[height][width], out[height][width];
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++) h[r][c] = r - c;

    float *d;
    size_t pitch;
    CHECK(cudaMallocPitch((void **)&d, &pitch, width * sizeof(float), height));
    CHECK(cudaMemcpy2D(d, pitch, h, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));

    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    scaleRows<<<blocks, threads>>>(d, pitch, width, height);
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy2D(out, width * sizeof(float), d, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
    int ok = 1;
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++)
            if (out[r][c] != (r - c) * (r + 1)) ok = 0;
    printf(ok ? "PASS\n" : "FAIL\n");
    CHECK(cudaFree(d));
    return ok ? 0 : 1;
}
